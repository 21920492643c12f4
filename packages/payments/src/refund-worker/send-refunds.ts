import type { Hex } from '@farebox/ledger'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { readRefund } from './check-refund.ts'
import type { ReadyRefund } from './prepare-refund.ts'
import { type RefundOutcome, recordOutcome, type TransferredUse } from './record-outcome.ts'
import { advanceRefund, type RefundPorts } from './refund-ports.ts'

/**
 * Sends refunds in one transaction. The outcome of each is read from the chain's logs by its nonce,
 * never from the transaction: a refund of a batch may fail alone.
 */
export async function sendRefunds(
  ports: RefundPorts,
  batch: readonly ReadyRefund[],
): Promise<SentBatch | undefined> {
  const [first, ...rest] = batch.map(({ refund }) => refund)
  if (first === undefined) return undefined
  const outcome = await ports.sender.send([first, ...rest])
  switch (outcome.status) {
    case 'unavailable':
      ports.breaker.trip(outcome.reason)
      for (const ready of batch) await recordOutcome(ports, { ...ready, outcome: unavailable })
      return undefined
    case 'sent':
      ports.breaker.close()
      break
    case 'unknown':
      break
  }
  for (const { leased, transfer } of batch) {
    if (leased.status === 'blocked') ports.notify({ type: 'refund_unblocked', transfer })
  }
  return { batch, transaction: outcome.transaction }
}

export type SentBatch = {
  readonly batch: readonly ReadyRefund[]
  /** Null when it is not known what was sent. */
  readonly transaction: Hex | null
}

/** The reason is that of the breaker, which was just tripped. */
const unavailable: RefundOutcome = { status: 'blocked_for_system', reason: null }

/**
 * Records the outcome of a batch: one write for each refund if its block comes within `waitMs`, and
 * two otherwise. A crash before loses nothing, since a refund is looked up by its nonce.
 */
export async function recordSending(
  ports: RefundPorts,
  { batch, transaction }: SentBatch,
  waitMs: number,
): Promise<void> {
  const isMined =
    transaction === null
      ? await isFirstFound(ports, batch)
      : await ports.sender.isMined(transaction, waitMs)
  await forEachConcurrently(batch, 50, async (sent) => {
    const found = isMined ? await tryFindTransfer(ports, sent, transaction) : undefined
    if (transaction !== null) {
      ports.notify({ type: 'refund_submitted', transfer: sent.transfer, transaction })
    }
    if (found !== undefined) {
      await recordOutcome(ports, { ...sent, outcome: { status: 'transferred', use: found } })
    } else await recordWaiting(ports, sent, transaction)
  })
}

/** The others need not be looked up while the first is not on the chain. */
async function isFirstFound(ports: RefundPorts, [first]: readonly ReadyRefund[]): Promise<boolean> {
  return first !== undefined && (await tryFindTransfer(ports, first, null)) !== undefined
}

async function recordWaiting(
  ports: RefundPorts,
  sent: ReadyRefund,
  transaction: Hex | null,
): Promise<void> {
  const at = ports.clock()
  const nextAttemptAt = at + ports.policy.refundPollMs
  await advanceRefund(
    ports,
    sent,
    transaction === null
      ? { type: 'postponed', nextAttemptAt, at }
      : { type: 'submitted', transaction, nextAttemptAt, at },
  )
}

/** The transfer, if it is on the chain already; a node that does not answer is asked again soon. */
async function tryFindTransfer(
  ports: RefundPorts,
  { transfer, payments }: ReadyRefund,
  transaction: Hex | null,
): Promise<TransferredUse | undefined> {
  try {
    const use = await readRefund(ports, { ...transfer, transaction }, payments)
    return use.status === 'transferred' ? use : undefined
  } catch (error) {
    ports.notify({ type: 'fault', during: 'refunds', error })
    return undefined
  }
}
