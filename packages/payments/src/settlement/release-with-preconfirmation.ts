import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { Observer } from '../events/payment-events.ts'
import type { OnShown } from './settle-payment.ts'

export type PreconfirmedRelease = OnShown & {
  /** From now on nothing is released. Returns the transaction with which bytes have left, if so. */
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
