import type { Authorization, Hex } from '@farebox/ledger'
import type { PaymentNetwork } from '../chain/network.ts'
import { hashDomain, hashStruct, signedDigest, typeHash } from './typed-data.ts'

type SignedAuthorization = Omit<Authorization, 'chainId' | 'asset'>

/** EIP-712 digests of one token's EIP-3009 messages, 32 bytes each. */
export type AuthorizationDigests = {
  /** What a payer signs to authorize a transfer. */
  transfer(authorization: SignedAuthorization): Uint8Array
  /** The same for a transfer that only its payee can execute. */
  receive(authorization: SignedAuthorization): Uint8Array
  /** What a signer signs to cancel a nonce. */
  cancel(authorizer: Hex, nonce: Hex): Uint8Array
}

const members =
  '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'
const cancelType = 'CancelAuthorization(address authorizer,bytes32 nonce)'

/**
 * Hashes EIP-3009 messages as EIP-712 (https://eips.ethereum.org/EIPS/eip-712) specifies, without a
 * general encoder; the domain separator is computed once.
 */
export function authorizationDigests(network: PaymentNetwork): AuthorizationDigests {
  const domain = domainSeparator(network)
  const cancelHash = typeHash(cancelType)

  function createDigest(name: string): AuthorizationDigests['transfer'] {
    const type = typeHash(name + members)
    return function digest({ from, to, value, validAfter, validBefore, nonce }) {
      const times = [BigInt(validAfter), BigInt(validBefore)]
      return signedDigest(domain, hashStruct(type, [from, to, value, ...times, nonce]))
    }
  }

  return {
    transfer: createDigest('TransferWithAuthorization'),
    receive: createDigest('ReceiveWithAuthorization'),
    cancel: (authorizer, nonce) =>
      signedDigest(domain, hashStruct(cancelHash, [authorizer, nonce])),
  }
}

/** The EIP-712 domain separator of the network's USDC, as its `DOMAIN_SEPARATOR()` returns it. */
export function domainSeparator({ chainId, domain, usdc }: PaymentNetwork): Uint8Array {
  return hashDomain({ ...domain, chainId, verifyingContract: usdc })
}
