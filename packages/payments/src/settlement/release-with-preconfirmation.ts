import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { Observer } from '../events/payment-events.ts'
import type { OnShown } from './settle-payment.ts'

export type PreconfirmedRelease = OnShown & {
  /** Releases nothing from now on. Returns the transaction that bytes were released with, if any. */
  end(): Hex | undefined
}

/**
 * Releases the bytes of a service before its proof, once, when its settlement is preconfirmed.
 * Nothing is written down: the proof decides about the payment.
 */
export function releaseWithPreconfirmation(
  { notify }: { readonly notify: Observer },
  payment: PaymentRecord,
  release: (transaction: Hex) => void,
): PreconfirmedRelease {
  let released: Hex | undefined
  let hasEnded = false
  return {
    onShown({ transaction, block }) {
      // A node that shows a block from before the claim is behind.
      if (hasEnded || released !== undefined || block <= payment.intentBlock) return
      released = transaction
      notify({ type: 'payment_preconfirmed', payment, transaction })
      release(transaction)
    },
    end() {
      hasEnded = true
      return released
    },
  }
}
