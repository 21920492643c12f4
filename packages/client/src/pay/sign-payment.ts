import { encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { type Network, type PaymentRequired, x402Client } from '@x402/fetch'

/** What signs: viem's local accounts fit, and so does any wallet that signs typed data. */
export type PaymentSigner = {
  readonly address: `0x${string}`
  signTypedData(message: {
    domain: Record<string, unknown>
    types: Record<string, unknown>
    primaryType: string
    message: Record<string, unknown>
  }): Promise<`0x${string}`>
}

/** Signs the one offer of a challenge; the value of the `PAYMENT-SIGNATURE` header. */
export type SignPayment = (challenge: PaymentRequired) => Promise<string>

export function createPaymentSigner(
  signer: PaymentSigner,
  networks: readonly Network[],
): SignPayment {
  const scheme = new ExactEvmScheme(signer)
  const client = networks.reduce(
    (registered, network) => registered.register(network, scheme),
    new x402Client(),
  )
  // The offer was chosen and its amount reserved before: this package's caps are the caps.
  client.setSpendControls(false)
  return async (challenge) =>
    encodePaymentSignatureHeader(await client.createPaymentPayload(challenge))
}
