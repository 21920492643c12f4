import { bytesToHex, randomBytes } from '@noble/hashes/utils'
import type { Wallet } from '../wallet/wallet.ts'
import { encodeBase64Json } from './base64-json.ts'
import type { PaymentOffer } from './payment-offer.ts'

/** Signs the offer; returns the value of the `PAYMENT-SIGNATURE` header. */
export type SignPayment = (offer: PaymentOffer, signal?: AbortSignal) => Promise<string>

/** The fields of an authorization of EIP-3009. Source: https://eips.ethereum.org/EIPS/eip-3009 */
export const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/**
 * Signs payments of the `exact` scheme of x402 version 2: a transfer of USDC to the payee, valid
 * until the offer's time has passed, or an hour. `now` is in milliseconds since 1970.
 */
export function createPaymentSigner(wallet: Wallet, now: () => number): SignPayment {
  return async ({ accepted, challenge, network }, signal) => {
    const { payTo, amount, maxTimeoutSeconds } = accepted
    const authorization = {
      from: wallet.address,
      to: payTo,
      value: amount,
      validAfter: '0',
      validBefore: String(validBefore(now(), maxTimeoutSeconds)),
      nonce: randomWord(),
    }
    const request = {
      domain: { ...network.domain, chainId: network.chainId, verifyingContract: network.usdc },
      types: { TransferWithAuthorization: authorizationFields },
      primaryType: 'TransferWithAuthorization',
      message: {
        ...authorization,
        // Signers reject mixed case that is not the address's checksum.
        to: payTo.toLowerCase(),
        value: BigInt(amount),
        validAfter: 0n,
        validBefore: BigInt(authorization.validBefore),
      },
    }
    const signature = await wallet.sign(request, signal)
    const { resource, extensions } = challenge
    const payload = { authorization, signature }
    return encodeBase64Json({ x402Version: 2, payload, extensions, resource, accepted })
  }
}

/** The longest validity, whatever a server asks for. */
const maxValiditySeconds = 3_600

/** When the signature of a payment expires, in seconds since 1970: an hour from now at the latest. */
export function validBefore(nowMs: number, askedSeconds: number): number {
  return Math.floor(nowMs / 1_000) + Math.min(askedSeconds, maxValiditySeconds)
}

/** 32 random bytes. */
export function randomWord(): `0x${string}` {
  return `0x${bytesToHex(randomBytes(32))}`
}
