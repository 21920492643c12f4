/** The program and arguments of anvil, without the watchdog. */
export type AnvilCommand = { readonly binary: string; readonly args: readonly string[] }
