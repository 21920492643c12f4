import { randomBytes } from 'node:crypto'
import { type DevnetAccount, usdcAddress } from '@farebox/devnet'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'
import {
  type DecodeContext,
  decodePayment,
  paymentRequirements,
  type SignedPayment,
} from '@farebox/payments/wire'
import { type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { authorizationFields } from '../../../../scripts/testing/authorization-fields.ts'

export const network = paymentNetwork('devnet')

export const authorizationTypes = {
  TransferWithAuthorization: authorizationFields,
} as const

export const cancelTypes = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export const tokenDomain = {
  ...network.domain,
  chainId: network.chainId,
  verifyingContract: usdcAddress,
}

export type Signing = {
  readonly signer: DevnetAccount
  readonly to: Hex
  readonly value: bigint
  readonly from?: Hex
  readonly nonce?: Hex
  readonly validAfter?: number
  readonly validBefore?: number
}

/** Signs as a stock client does, with viem. */
export async function signAuthorization(signing: Signing) {
  const { signer, to, value } = signing
  const message = {
    from: signing.from ?? signer.address,
    to,
    value,
    validAfter: BigInt(signing.validAfter ?? 0),
    validBefore: BigInt(signing.validBefore ?? Math.floor(Date.now() / 1000) + 300),
    nonce: signing.nonce ?? toHex(randomBytes(32)),
  }
  const signature = await privateKeyToAccount(signer.privateKey).signTypedData({
    domain: tokenDomain,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return { message, signature }
}

export const resource = {
  url: 'http://127.0.0.1:4020/v1/chat/completions',
  description: 'A chat completion',
  mimeType: 'application/json',
}

export function contextFor(payTo: Hex, ...amounts: readonly [bigint, ...bigint[]]): DecodeContext {
  const [first, ...rest] = amounts
  return {
    network,
    payTo,
    maxTimeoutSeconds: 300,
    resource,
    amounts: [atomicUsdc(first), ...rest.map(atomicUsdc)],
  }
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** What goes over the wire for a signed authorization, in either protocol. */
export function wirePayload(
  signed: Awaited<ReturnType<typeof signAuthorization>>,
  context: DecodeContext,
) {
  const { message, signature } = signed
  const authorization = {
    ...message,
    value: message.value.toString(),
    validAfter: message.validAfter.toString(),
    validBefore: message.validBefore.toString(),
  }
  const payload = { signature, authorization }
  const accepted = paymentRequirements(context, context.amounts[0])
  return {
    v1: { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload },
    v2: { x402Version: 2, resource, accepted, payload },
  }
}

/** A decoded payment, signed now. */
export async function paymentFor(signing: Signing, context: DecodeContext): Promise<SignedPayment> {
  const { v2 } = wirePayload(await signAuthorization(signing), context)
  const decoded = decodePayment({ 'payment-signature': encode(v2) }, context)
  if (decoded.status !== 'decoded') throw new Error(`expected a payment, got ${decoded.status}`)
  return decoded.payment
}

export function usdc(amount: bigint): Usdc {
  return atomicUsdc(amount)
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)
