import { readFile } from 'node:fs/promises'
import type { Address, Hex } from 'viem'
import { genesisFile } from '../anvil/genesis-file.ts'
import type { JsonRpc } from '../anvil/json-rpc.ts'

type Genesis = { readonly accounts: Readonly<Record<Address, { readonly code: Hex }>> }

/** Installs the contracts that a kept chain lacks because it is older than they are. */
export async function installMissingContracts(rpc: JsonRpc): Promise<void> {
  const { accounts } = JSON.parse(await readFile(genesisFile, 'utf8')) as Genesis
  for (const [address, { code }] of Object.entries(accounts)) {
    const present = await rpc<Hex>('eth_getCode', [address, 'latest'])
    if (present === '0x') await rpc('anvil_setCode', [address, code])
  }
}
