import { type Challenge, chainIdOf, type Offer } from './challenge.ts'

type Hex = `0x${string}`

/** What the payer signs: a transfer that can be sent once, by any account, until it expires. */
export type Authorization = {
  readonly from: Hex
  readonly to: Hex
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Hex
}

/** `TransferWithAuthorization` of ERC-3009 as typed data of EIP-712. */
export type PaymentTypedData = {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: Hex
  }
  readonly types: { readonly TransferWithAuthorization: typeof transferFields }
  readonly primaryType: 'TransferWithAuthorization'
  readonly message: Authorization
}

/** An account that signs typed data: a wallet, or the demo payer of the devnet. */
export type Payer = {
  readonly address: Hex
  readonly sign: (data: PaymentTypedData) => Promise<Hex>
}

const transferFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/** Has the offer signed; returns the value of the `PAYMENT-SIGNATURE` header. */
export async function signChallenge(
  { resource, offer }: Challenge,
  payer: Payer,
  nowSeconds: number,
): Promise<string> {
  const authorization: Authorization = {
    from: payer.address,
    to: offer.payTo,
    value: offer.amount,
    validAfter: '0',
    validBefore: String(nowSeconds + offer.maxTimeoutSeconds),
    nonce: randomNonce(),
  }
  const signature = await payer.sign(typedData(offer, authorization))
  const payload = { signature, authorization }
  return toBase64(JSON.stringify({ x402Version: 2, resource, accepted: offer, payload }))
}

function typedData(offer: Offer, message: Authorization): PaymentTypedData {
  const { name, version } = offer.extra
  return {
    domain: { name, version, chainId: chainIdOf(offer), verifyingContract: offer.asset },
    types: { TransferWithAuthorization: transferFields },
    primaryType: 'TransferWithAuthorization',
    message,
  }
}

function randomNonce(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
