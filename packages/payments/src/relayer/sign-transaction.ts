import type { Hex } from '@farebox/ledger'
import { concat, numberToBytes, toRlp } from 'viem'
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

/**
 * The transaction is written as bytes: a general serializer joins the hexadecimal digits of a group's
 * calldata several times over, which costs as much as a signature for each of its payments.
 */
export function signerFor(signer: KeySigner, chainId: number): SignTransaction {
  return async function signTransaction({ call, gas, nonce, fees }) {
    const fields = [
      shortestBytes(chainId),
      shortestBytes(nonce),
      shortestBytes(fees.maxPriorityFeePerGas),
      shortestBytes(fees.maxFeePerGas),
      shortestBytes(gas),
      hexToBytes(call.to),
      noValue,
      hexToBytes(call.data),
      noAccessList,
    ]
    const { compact, recovery } = await signer.sign(keccak256(serialized(fields)))
    const signature = [recovery, wordAt(compact, 0), wordAt(compact, 32)].map((part) =>
      shortestBytes(BigInt(part)),
    )
    const raw = serialized([...fields, ...signature])
    return { raw: bytesToHex(raw), transaction: bytesToHex(keccak256(raw)) }
  }
}

const noValue = shortestBytes(0)
const noAccessList: readonly Uint8Array[] = []
const eip1559 = Uint8Array.of(2)

/** EIP-2718: the type, and the list of the fields. */
function serialized(fields: readonly (Uint8Array | readonly Uint8Array[])[]): Uint8Array {
  return concat([eip1559, toRlp(fields, 'bytes')])
}

/** As RLP writes numbers: without leading zeros, and zero as nothing. */
function shortestBytes(number: number | bigint): Uint8Array {
  return number === 0 || number === 0n ? new Uint8Array() : numberToBytes(number)
}

function wordAt(bytes: Uint8Array, offset: number): Hex {
  return bytesToHex(bytes.subarray(offset, offset + 32))
}
