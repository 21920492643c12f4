import { readFileSync } from 'node:fs'

type Key = { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }

/** What the examples read of `devnet.json`. The keys are worth nothing anywhere else. */
export type DevnetKeys = {
  readonly rpcUrl: string
  readonly treasury: Key
  readonly relayer: Key
  readonly payers: readonly [Key, ...Key[]]
}

/** The file that a gateway or `npm run devnet` writes into its `DATA_DIR`. */
export function readDevnetKeys(path: string | undefined): DevnetKeys {
  if (path === undefined) throw new Error('Say where devnet.json is')
  return JSON.parse(readFileSync(path, 'utf8')) as DevnetKeys
}
