import type { PaymentId } from '@farebox/ledger'
import type { ReceivedDeposit } from '../channel/channel-receipt.ts'

/** What the receipt of a call needs besides its record. */
export type HeldCall = {
  /** The sum that the client signed its voucher on top of. */
  readonly base: bigint
  readonly deposit: ReceivedDeposit | null
}

/** The calls that this process serves. */
export type HeldCalls = {
  add(id: PaymentId, call: HeldCall): void
  /** Takes a call out; undefined when another process held it. */
  take(id: PaymentId): HeldCall | undefined
}

/** More than a process serves at once. Beyond it, the oldest call is dropped: its caller never ended it. */
const maxHeld = 10_000

export function createHeldCalls(): HeldCalls {
  const held = new Map<PaymentId, HeldCall>()
  return {
    add(id, call) {
      const [oldest] = held.keys()
      if (held.size >= maxHeld && oldest !== undefined) held.delete(oldest)
      held.set(id, call)
    },
    take(id) {
      const call = held.get(id)
      held.delete(id)
      return call
    },
  }
}
