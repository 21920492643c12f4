import type { ConfirmationsOf } from '../settlement/confirmation-cache.ts'
import type { SettlePorts } from '../settlement/settle-payment.ts'
import type { RoundRules } from './after-outages.ts'

/** What the parts of a round of recovery share. */
export type RecoveryPorts = SettlePorts &
  RoundRules & {
    readonly confirmationsOf: ConfirmationsOf
  }

/**
 * What happens to the lease of a checked payment: it is released at the end of the round, so that
 * the identical request may resume it, or extended until the payment is due for its next check. That
 * of a payment with nothing left to check is left to expire.
 */
export type NextCheck = 'release' | 'ended' | { readonly inMs: number }
