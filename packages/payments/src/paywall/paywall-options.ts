import type { Hex, LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { NetworkName } from '../chain/network.ts'
import type { ChannelSellingOptions } from '../channel-gate/sell-by-channel.ts'
import type { Observer } from '../events/payment-events.ts'
import type { PayerLimits } from '../policy/payer-limits.ts'
import type { PaymentPolicy } from '../policy/payment-policy.ts'
import type { SigningKey } from '../signature/signing-key.ts'
import type { FacilitatorChoice } from './settlement-backend.ts'

/** What a paywall sells through, and how it settles and refunds. */
export type PaywallOptions = {
  readonly network: NetworkName
  readonly rpcUrl: string
  /** Keeps the payments: `openLedger` of `@farebox/ledger/sql`, or a memory store for trials. */
  readonly store: LedgerStore
  /**
   * The key of the address that receives payments: a private key, or an account that signs
   * elsewhere. It signs refunds and holds no ETH.
   */
  readonly treasuryKey: SigningKey
  /** Pays the gas of settlements and refunds. Not needed where a facilitator does. */
  readonly relayerKey?: SigningKey | undefined
  /** An x402 facilitator that settles instead of this process. */
  readonly facilitator?: FacilitatorChoice | undefined
  /** The address of this app for its clients; by default the host of each request. */
  readonly publicUrl?: string | undefined
  /**
   * The smallest refund that gets its own transfer; smaller ones add up per payer. Follows the gas
   * price by default.
   */
  readonly refundMinimum?: Usdc | undefined
  /** The approximate price of an ETH in whole dollars, for that minimum. 3,000 by default. */
  readonly dollarsPerEther?: bigint | undefined
  /** The limits of a payer, read for each payment; unlimited by default. */
  readonly payerLimits?: ((payer: Hex) => PayerLimits) | undefined
  /** What differs from the network's own policy: times, confirmations, limits. */
  readonly policy?: Partial<PaymentPolicy>
  /**
   * Monitors the treasury: `sales_stopped` is reported when it does not match the ledger. Its owner
   * may move its money to these accounts.
   */
  readonly monitoring?: { readonly ownAccounts: readonly Hex[] }
  /** Sells from payment channels too, which needs a relayer. Off by default. */
  readonly channels?: ChannelSellingOptions | undefined
  /** Milliseconds since 1970. The machine's clock by default. */
  readonly clock?: () => number
  readonly onEvent?: Observer | undefined
}
