import type { Authorization, Hex } from '@farebox/ledger'
import { stringToBytes } from 'viem'
import { hexToBytes } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { keccak256 } from './keccak256.ts'

/** EIP-712 digests of one token's EIP-3009 messages. */
export type AuthorizationDigests = {
  /** What a payer signs to authorize a transfer. 32 bytes. */
  transfer(authorization: Omit<Authorization, 'chainId' | 'asset'>): Uint8Array
  /** What a signer signs to cancel a nonce. 32 bytes. */
  cancel(authorizer: Hex, nonce: Hex): Uint8Array
}

const domainType =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const transferType =
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'
const cancelType = 'CancelAuthorization(address authorizer,bytes32 nonce)'

/**
 * Hashes EIP-3009 messages as EIP-712 (https://eips.ethereum.org/EIPS/eip-712) specifies, without a
 * general encoder; the domain separator is computed once.
 */
export function authorizationDigests(network: PaymentNetwork): AuthorizationDigests {
  const domain = domainSeparator(network)
  const transferHash = hashText(transferType)
  const cancelHash = hashText(cancelType)

  function digest(struct: Uint8Array): Uint8Array {
    const message = new Uint8Array(66)
    message[0] = 0x19
    message[1] = 0x01
    message.set(domain, 2)
    message.set(keccak256(struct), 34)
    return keccak256(message)
  }

  return {
    transfer({ from, to, value, validAfter, validBefore, nonce }) {
      const struct = new Uint8Array(7 * 32)
      struct.set(transferHash, 0)
      putHex(struct, 1, from)
      putHex(struct, 2, to)
      putUint(struct, 3, value)
      putUint(struct, 4, BigInt(validAfter))
      putUint(struct, 5, BigInt(validBefore))
      putHex(struct, 6, nonce)
      return digest(struct)
    },
    cancel(authorizer, nonce) {
      const struct = new Uint8Array(3 * 32)
      struct.set(cancelHash, 0)
      putHex(struct, 1, authorizer)
      putHex(struct, 2, nonce)
      return digest(struct)
    },
  }
}

/** The EIP-712 domain separator of the network's USDC, as its `DOMAIN_SEPARATOR()` returns it. */
export function domainSeparator({ chainId, domain, usdc }: PaymentNetwork): Uint8Array {
  const struct = new Uint8Array(5 * 32)
  struct.set(hashText(domainType), 0)
  struct.set(hashText(domain.name), 32)
  struct.set(hashText(domain.version), 64)
  putUint(struct, 3, BigInt(chainId))
  putHex(struct, 4, usdc)
  return keccak256(struct)
}

function hashText(text: string): Uint8Array {
  return keccak256(stringToBytes(text))
}

/** Right-aligned in its word, as the ABI encodes addresses and 32-byte values alike. */
function putHex(words: Uint8Array, index: number, hex: Hex): void {
  const bytes = hexToBytes(hex)
  words.set(bytes, (index + 1) * 32 - bytes.length)
}

const word = 0xffff_ffff_ffff_ffffn

function putUint(words: Uint8Array, index: number, value: bigint): void {
  const view = new DataView(words.buffer, words.byteOffset + index * 32, 32)
  for (let part = 0; part < 4; part += 1) {
    view.setBigUint64(part * 8, (value >> BigInt(192 - part * 64)) & word)
  }
}
