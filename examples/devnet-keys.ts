import { readFileSync } from 'node:fs'

type Key = { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }

/** The fields of `devnet.json` that the examples use. The keys have no value outside the devnet. */
export type DevnetKeys = {
  readonly rpcUrl: string
  readonly treasury: Key
  readonly relayer: Key
  readonly payers: readonly [Key, ...Key[]]
}

/** The file that a gateway or `npm run devnet` writes into its `DATA_DIR`. */
export function readDevnetKeys(path: string | undefined): DevnetKeys {
  if (path === undefined) throw new Error('Pass the path of devnet.json')
  return JSON.parse(readFileSync(path, 'utf8')) as DevnetKeys
}
