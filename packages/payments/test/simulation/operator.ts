import { createMemoryStore, type RefundTransfer } from '@farebox/ledger'
import { retryRefund, writeOffRefund } from '@farebox/payments'
import { noFaults } from './faults.ts'
import type { SimContext } from './sim-context.ts'

/**
 * An operator who writes off refunds while they are blocked. When the faults have stopped, half of
 * those are retried at once, and the others after the write-off took effect: then all can be paid.
 */
export function runOperator(context: SimContext): void {
  const { world, disk, faults, count } = context
  const store = createMemoryStore({ disk })
  const clock = world.now

  async function decide(transfer: RefundTransfer): Promise<void> {
    const decision = { store, clock, nonce: transfer.nonce }
    const haveFaultsEnded = faults() === noFaults
    const isWriteOffRequested = transfer.reason === 'write_off_requested'
    const isImpatient = /[0-7]$/.test(transfer.nonce)
    if (transfer.status === 'blocked' && !isWriteOffRequested && !haveFaultsEnded) {
      const { status } = await writeOffRefund(decision)
      if (status === 'accepted') count('write-offs requested')
    } else if (
      transfer.status === 'blocked' &&
      isWriteOffRequested &&
      haveFaultsEnded &&
      isImpatient
    ) {
      await retryRefund(decision)
      count('write-offs withdrawn')
    } else if (transfer.status === 'written_off' && haveFaultsEnded && isOwed(context, transfer)) {
      await retryRefund(decision)
      count('written-off refunds retried')
    }
  }

  function check(): void {
    for (const transfer of disk.transfers.values()) void decide(transfer)
    world.after(2_000, check)
  }
  world.after(2_000, check)
}

/** Whether every payment behind a refund is settled, so that the operator can still pay it. */
export function isOwed({ disk }: Pick<SimContext, 'disk'>, { payments }: RefundTransfer): boolean {
  return payments.every((id) => disk.payments.get(id)?.settlement !== null)
}
