import type { Hex } from '@farebox/ledger'
import type { PublicClient } from 'viem'
import { ask } from './rpc-client.ts'

/**
 * The code of an account; null if it has none.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readCode(client: PublicClient, address: Hex): Promise<Hex | null> {
  const code = await ask(`the code of ${address}`, () => client.getCode({ address }))
  return code === undefined || code === '0x' ? null : code
}
