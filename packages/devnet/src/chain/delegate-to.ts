import { type Address, concat, type Hex, keccak256, slice } from 'viem'
import type { ChainControls } from './chain-controls.ts'

/**
 * Delegates an account to a contract with this code, as EIP-7702 does: from then on the contract, not
 * the key, decides about the account's signatures. Returns the account's code, `0xef0100` and the
 * address of the contract, with which `setCode` delegates further accounts.
 */
export async function delegateTo(
  devnet: Pick<ChainControls, 'setCode'>,
  account: Address,
  code: Hex,
): Promise<Hex> {
  const contract = slice(keccak256(code), 12)
  await devnet.setCode(contract, code)
  const delegation = concat(['0xef0100', contract])
  await devnet.setCode(account, delegation)
  return delegation
}
