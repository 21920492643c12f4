import { keccak_256 } from '@noble/hashes/sha3'
import { hexToBytes } from '@noble/hashes/utils'
import { Point, recoverPublicKey } from '@noble/secp256k1'
import { type Hex, toHex, type VoucherTerms, voucherDigest } from './channel-typed-data.ts'

/** Half of the order of secp256k1: the contract takes no signature with a larger `s`. */
const largestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Whether this address signed the voucher as the channel contract accepts it: 65 bytes r, s, v, with
 * v of 27 or 28 and s in the lower half.
 */
export function isVoucherOf(address: Hex, voucher: VoucherTerms, signature: string): boolean {
  const parts = /^0x([0-9a-f]{64})([0-9a-f]{64})(1b|1c)$/i.exec(signature)
  if (parts === null) return false
  const [, r = '', s = '', v = ''] = parts
  if (BigInt(`0x${s}`) > largestS) return false
  const recovery = Number.parseInt(v, 16) - 27
  const bytes = hexToBytes(`0${recovery}${r}${s}`)
  return recoveredAddress(bytes, voucherDigest(voucher)) === address.toLowerCase()
}

/** `undefined` for numbers that are not a signature. */
function recoveredAddress(signature: Uint8Array, digest: Uint8Array): Hex | undefined {
  try {
    const key = Point.fromBytes(recoverPublicKey(signature, digest, { prehash: false }))
    return toHex(keccak_256(key.toBytes(false).slice(1)).slice(12))
  } catch {
    return undefined
  }
}
