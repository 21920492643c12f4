import type { Hex } from '@farebox/ledger'
import { stringToBytes } from 'viem'
import { hexToBytes } from '../chain/hex.ts'
import { keccak256 } from './keccak256.ts'

/** A member of an EIP-712 struct: an address or 32 bytes, or an unsigned number. */
export type Word = Hex | bigint

export type TypedDataDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Hex
}

/** The hash of a type, as its text declares it. 32 bytes. */
export function typeHash(type: string): Uint8Array {
  return keccak256(stringToBytes(type))
}

const domainType = typeHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)

/** The EIP-712 domain separator, as a contract's `DOMAIN_SEPARATOR()` returns it. 32 bytes. */
export function hashDomain(domain: TypedDataDomain): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain
  const names = [typeHash(name), typeHash(version)]
  return hashStruct(domainType, [...names, BigInt(chainId), verifyingContract])
}

/** The hash of a struct whose members take a word each; members of 32 bytes may be bytes. */
export function hashStruct(type: Uint8Array, members: readonly (Word | Uint8Array)[]): Uint8Array {
  const struct = new Uint8Array((members.length + 1) * 32)
  struct.set(type, 0)
  for (const [index, member] of members.entries()) {
    if (typeof member === 'bigint') putUint(struct, index + 1, member)
    else putRight(struct, index + 1, typeof member === 'string' ? hexToBytes(member) : member)
  }
  return keccak256(struct)
}

/**
 * What is signed for a struct, https://eips.ethereum.org/EIPS/eip-712. A domain that never changes is
 * hashed once.
 */
export function signedDigest(domain: Uint8Array, struct: Uint8Array): Uint8Array {
  const message = new Uint8Array(66)
  message[0] = 0x19
  message[1] = 0x01
  message.set(domain, 2)
  message.set(struct, 34)
  return keccak256(message)
}

/** Right-aligned in its word, as the ABI encodes addresses and 32-byte values alike. */
function putRight(words: Uint8Array, index: number, bytes: Uint8Array): void {
  words.set(bytes, (index + 1) * 32 - bytes.length)
}

const word = 0xffff_ffff_ffff_ffffn

function putUint(words: Uint8Array, index: number, value: bigint): void {
  const view = new DataView(words.buffer, words.byteOffset + index * 32, 32)
  for (let part = 0; part < 4; part += 1) {
    view.setBigUint64(part * 8, (value >> BigInt(192 - part * 64)) & word)
  }
}
