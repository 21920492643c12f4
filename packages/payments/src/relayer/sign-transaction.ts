import type { Hex } from '@farebox/ledger'
import { keccak256 } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { GasFees } from './gas-fees.ts'

type UnsignedTransaction = {
  readonly call: { readonly to: Hex; readonly data: Hex }
  readonly gas: bigint
  readonly nonce: number
  readonly fees: GasFees
}

/** Signs an EIP-1559 transaction. Its hash is known before it is broadcast. */
export type SignTransaction = (
  transaction: UnsignedTransaction,
) => Promise<{ readonly raw: Hex; readonly transaction: Hex }>

export function signerFor(account: PrivateKeyAccount, chainId: number): SignTransaction {
  return async function signTransaction({ call, gas, nonce, fees }) {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      to: call.to,
      data: call.data,
      gas,
      nonce,
      ...fees,
    })
    return { raw, transaction: keccak256(raw) }
  }
}
