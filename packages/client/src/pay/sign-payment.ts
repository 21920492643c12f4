import { encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { type Network, type PaymentRequired, x402Client } from '@x402/fetch'

/** Signs typed data. Any viem local account or wallet with this method works. */
export type PaymentSigner = {
  readonly address: `0x${string}`
  signTypedData(message: {
    domain: Record<string, unknown>
    types: Record<string, unknown>
    primaryType: string
    message: Record<string, unknown>
  }): Promise<`0x${string}`>
}

/** Signs the single offer of a challenge; returns the value of the `PAYMENT-SIGNATURE` header. */
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
  // This package has already checked its own caps and reserved the amount.
  client.setSpendControls(false)
  return async (challenge) =>
    encodePaymentSignatureHeader(await client.createPaymentPayload(challenge))
}
