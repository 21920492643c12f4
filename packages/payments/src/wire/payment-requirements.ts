import type { Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { getAddress } from 'viem'
import type { PaymentNetwork } from '../chain/network.ts'

/** One way to pay, as x402 v2 defines it. A type alias, so that it is also a plain record. */
export type PaymentRequirements = {
  readonly scheme: 'exact'
  readonly network: `eip155:${number}`
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: {
    readonly name: string
    readonly version: string
    readonly paymentFlow: 'upfront'
  }
}

/** What is sold, as the client sees it. `url` is absolute. */
export type ResourceInfo = {
  readonly url: string
  readonly description: string
  readonly mimeType: string
}

/** The terms of a sale that both the 402 and the check of its payment are built from. */
export type PaymentTerms = {
  readonly network: PaymentNetwork
  readonly payTo: Hex
  readonly maxTimeoutSeconds: number
}

/**
 * The requirement for an amount: the same for the same terms, so that a payment can be matched by
 * building it again. `upfront` means that the payment is settled before the response is produced;
 * without an `assetTransferMethod` clients use EIP-3009.
 */
export function paymentRequirements(terms: PaymentTerms, amount: Usdc): PaymentRequirements {
  const { network, payTo, maxTimeoutSeconds } = terms
  return {
    scheme: 'exact',
    network: network.caip2,
    amount: amount.toString(),
    asset: getAddress(network.usdc),
    payTo: getAddress(payTo),
    maxTimeoutSeconds,
    extra: { ...network.domain, paymentFlow: 'upfront' },
  }
}
