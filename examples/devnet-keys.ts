import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Key = { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }

/** The fields of `devnet.json` that the examples use. The keys have no value outside the devnet. */
export type DevnetKeys = {
  readonly rpcUrl: string
  readonly treasury: Key
  readonly relayer: Key
  readonly payers: readonly [Key, ...Key[]]
}

/** The file that a gateway or `npm run devnet` writes into its `DATA_DIR`, `.farebox` by default. */
export function readDevnetKeys(
  path = join(process.env['DATA_DIR'] || '.farebox', 'devnet.json'),
): DevnetKeys {
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as DevnetKeys
  console.error(`${path} does not exist: run \`npm start\` or \`npm run devnet\` first`)
  process.exit(1)
}
