import { createMemoryStore, type RefundTransfer } from '@farebox/ledger'
import { retryRefund, writeOffRefund } from '@farebox/payments'
import type { Arena } from './arena.ts'
import { noFaults } from './faults.ts'

/**
 * An operator who gives up refunds while they are blocked. When the faults are over, half of those
 * are tried again at once, and the others when they have been written off: then all can be paid.
 */
export function runOperator(arena: Arena): void {
  const { world, disk, faults, count } = arena
  const store = createMemoryStore({ disk })
  const clock = world.now

  async function decide(transfer: RefundTransfer): Promise<void> {
    const decision = { store, clock, nonce: transfer.nonce }
    const isCalm = faults() === noFaults
    const isGivenUp = transfer.reason === 'write_off_requested'
    const isImpatient = /[0-7]$/.test(transfer.nonce)
    if (transfer.status === 'blocked' && !isGivenUp && !isCalm) {
      const { status } = await writeOffRefund(decision)
      if (status === 'accepted') count('refunds given up')
    } else if (transfer.status === 'blocked' && isGivenUp && isCalm && isImpatient) {
      await retryRefund(decision)
      count('refunds tried again')
    } else if (transfer.status === 'written_off' && isCalm && isOwed(arena, transfer)) {
      await retryRefund(decision)
      count('refunds taken up again')
    }
  }

  function look(): void {
    for (const transfer of disk.transfers.values()) void decide(transfer)
    world.after(2_000, look)
  }
  world.after(2_000, look)
}

/** Whether all the money that a refund gives back is there, so that its operator can pay it yet. */
export function isOwed({ disk }: Pick<Arena, 'disk'>, { payments }: RefundTransfer): boolean {
  return payments.every((id) => disk.payments.get(id)?.settlement !== null)
}
