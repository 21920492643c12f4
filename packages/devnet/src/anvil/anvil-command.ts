/** How anvil is started, before anything watches over it. */
export type AnvilCommand = { readonly binary: string; readonly args: readonly string[] }
