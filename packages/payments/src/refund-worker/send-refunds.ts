import type { RefundTransfer } from '@farebox/ledger'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { readRefund } from './check-refund.ts'
import type { ReadyRefund } from './prepare-refund.ts'
import { type RefundOutcome, recordOutcome } from './record-outcome.ts'
import { advanceRefund, type RefundPorts } from './refund-ports.ts'

/**
 * Sends refunds in one transaction. What became of each is read from the chain's logs by its nonce,
 * never from the transaction: one of a batch may fail alone.
 */
export async function sendRefunds(
  ports: RefundPorts,
  batch: readonly ReadyRefund[],
): Promise<number> {
  const [first, ...rest] = batch.map(({ refund }) => refund)
  if (first === undefined) return 0
  const outcome = await ports.sender.send([first, ...rest])
  switch (outcome.status) {
    case 'unavailable':
      ports.breaker.trip(outcome.reason)
      for (const { transfer } of batch) {
        await recordOutcome(ports, { transfer, outcome: unavailable })
      }
      return 0
    case 'sent':
      ports.breaker.close()
      break
    case 'unknown':
      break
  }
  const submitted = await Promise.all(
    batch.map((ready) => recordSubmission(ports, ready, outcome.transaction)),
  )
  await recordResults(
    ports,
    submitted.flatMap((sent) => sent ?? []),
  )
  return batch.length
}

/** The reason is that of the breaker, which was just tripped. */
const unavailable: RefundOutcome = { status: 'blocked_for_system', reason: null }

type SentRefund = Pick<ReadyRefund, 'transfer' | 'payments'>

async function recordSubmission(
  ports: RefundPorts,
  { transfer, payments }: ReadyRefund,
  transaction: RefundTransfer['transaction'],
): Promise<SentRefund | undefined> {
  if (transaction === null) return { transfer, payments }
  const at = ports.clock()
  const submitted = await advanceRefund(ports, transfer, { type: 'submitted', transaction, at })
  if (submitted === undefined) return undefined
  ports.notify({ type: 'refund_submitted', transfer: submitted, transaction })
  return { transfer: submitted, payments }
}

/** As long as the first of a batch is not on the chain, the others need not be looked up. */
async function recordResults(ports: RefundPorts, batch: readonly SentRefund[]): Promise<void> {
  const [first, ...others] = batch
  if (first === undefined) return
  const pending: RefundOutcome = { status: 'retry_later', delayMs: ports.policy.refundPollMs }
  const outcome = (await tryFindTransfer(ports, first)) ?? pending
  await recordOutcome(ports, { ...first, outcome })
  const isMined = outcome !== pending
  await forEachConcurrently(others, 50, async (other) => {
    const found = isMined ? await tryFindTransfer(ports, other) : undefined
    await recordOutcome(ports, { ...other, outcome: found ?? pending })
  })
}

/** The transfer, if it is on the chain already; a node that does not answer is asked again soon. */
async function tryFindTransfer(
  ports: RefundPorts,
  { transfer, payments }: SentRefund,
): Promise<RefundOutcome | undefined> {
  try {
    const use = await readRefund(ports, transfer, payments)
    return use.status === 'transferred' ? { status: 'transferred', use } : undefined
  } catch (error) {
    ports.notify({ type: 'fault', during: 'refunds', error })
    return undefined
  }
}
