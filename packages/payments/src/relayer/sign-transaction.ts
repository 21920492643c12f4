import type { Hex } from '@farebox/ledger'
import { serializeTransaction, type TransactionSerializableEIP1559 } from 'viem'
import { bytesToHex, hexToBytes } from '../chain/hex.ts'
import { keccak256 } from '../signature/keccak256.ts'
import type { KeySigner } from '../signature/key-signer.ts'
import type { GasFees } from './gas-fees.ts'

type UnsignedTransaction = {
  readonly call: { readonly to: Hex; readonly data: Hex }
  readonly gas: bigint
  readonly nonce: number
  readonly fees: GasFees
}

/** Signs an EIP-1559 transaction. Its hash is known before it is broadcast. */
export type SignTransaction = (transaction: UnsignedTransaction) => Promise<{
  readonly raw: Hex
  readonly transaction: Hex
}>

export function signerFor(signer: KeySigner, chainId: number): SignTransaction {
  return async function signTransaction({ call, gas, nonce, fees }) {
    const unsigned: TransactionSerializableEIP1559 = {
      type: 'eip1559',
      chainId,
      to: call.to,
      data: call.data,
      gas,
      nonce,
      ...fees,
    }
    const digest = keccak256(hexToBytes(serializeTransaction(unsigned)))
    const { compact, recovery } = await signer.sign(digest)
    const raw = serializeTransaction(unsigned, {
      r: bytesToHex(compact.subarray(0, 32)),
      s: bytesToHex(compact.subarray(32)),
      yParity: recovery,
    })
    return { raw, transaction: bytesToHex(keccak256(hexToBytes(raw))) }
  }
}
