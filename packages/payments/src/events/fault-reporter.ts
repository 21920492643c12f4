import type { Observer, PaymentActivity } from './payment-events.ts'

export type FaultReporter = (error: unknown) => void

/** Reports what goes wrong during an activity. */
export function faultReporter(
  { notify }: { readonly notify: Observer },
  during: PaymentActivity,
): FaultReporter {
  return (error) => {
    notify({ type: 'fault', during, error })
  }
}
