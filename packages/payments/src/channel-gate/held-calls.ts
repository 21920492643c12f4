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

/** Calls that a caller never ends are forgotten after `maxServiceMs`. */
export function createHeldCalls(clock: () => number, maxServiceMs: number): HeldCalls {
  const held = new Map<PaymentId, HeldCall & { readonly since: number }>()
  return {
    add(id, call) {
      const now = clock()
      for (const [old, { since }] of held) {
        if (now - since <= maxServiceMs) break
        held.delete(old)
      }
      held.set(id, { ...call, since: now })
    },
    take(id) {
      const call = held.get(id)
      held.delete(id)
      return call
    },
  }
}
