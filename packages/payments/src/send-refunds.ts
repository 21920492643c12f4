import type { Payout } from '@farebox/ledger'
import type { SignedRefund } from './chain.ts'
import type { ReadyRefund } from './prepare-payout.ts'
import { parkPayout } from './refund-parking.ts'
import { advancePayout, postponePayout, type RefundPorts } from './refund-ports.ts'
import { bookTransfer, readPayout } from './track-payout.ts'

/**
 * Sends refunds together. What became of each is read from the chain's logs per nonce, never from
 * the transaction: one of a batch may fail alone.
 */
export async function sendRefunds(
  ports: RefundPorts,
  batch: readonly ReadyRefund[],
): Promise<number> {
  const [first, ...rest] = batch.map(({ refund }): SignedRefund => refund)
  if (first === undefined) return 0
  const outcome = await ports.sender.send([first, ...rest])
  switch (outcome.status) {
    case 'unavailable':
      ports.breaker.trip(outcome.reason)
      for (const { payout } of batch) await parkPayout(ports, payout)
      return 0
    case 'sent':
      ports.breaker.close()
      break
    case 'unknown':
      break
  }
  const { transaction } = outcome
  await Promise.all(batch.map((ready) => recordSent(ports, ready, transaction)))
  return batch.length
}

async function recordSent(
  ports: RefundPorts,
  { payout, payments }: ReadyRefund,
  transaction: Payout['transaction'],
): Promise<void> {
  const submitted = await recordSubmission(ports, payout, transaction)
  if (submitted === undefined) return
  const use = await readPayout(ports, submitted, payments)
  if (use.status === 'transferred') await bookTransfer(ports, submitted, use)
  else await postponePayout(ports, submitted, ports.pollMs)
}

async function recordSubmission(
  ports: RefundPorts,
  payout: Payout,
  transaction: Payout['transaction'],
): Promise<Payout | undefined> {
  if (transaction === null) return payout
  const at = ports.clock()
  const submitted = await advancePayout(ports, payout, { type: 'submitted', transaction, at })
  if (submitted !== undefined) {
    ports.notify({ type: 'refund_submitted', payout: submitted, transaction })
  }
  return submitted
}
