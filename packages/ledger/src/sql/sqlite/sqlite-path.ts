/** The path of a `sqlite:` address of a ledger; `undefined` for another address. */
export function sqlitePath(url: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1]
}
