import type { RefundTransfer } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { advanceRefund } from './advance-refund.ts'
import type { ReadyRefund } from './prepare-refund.ts'
import { readRefund } from './read-refund.ts'
import { recordOutcome } from './record-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'

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
        await recordOutcome(ports, transfer, { status: 'blocked_for_system', reason: null })
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
  ports.notify({ type: 'refund_submitted', refundTransfer: submitted, transaction })
  return { transfer: submitted, payments }
}

/** As long as the first of a batch is not on the chain, the others need not be looked up. */
async function recordResults(ports: RefundPorts, batch: readonly SentRefund[]): Promise<void> {
  const [first, ...others] = batch
  if (first === undefined) return
  const use = await tryReadRefund(ports, first)
  await recordResult(ports, first, use)
  const isMined = use?.status === 'transferred'
  await forEachConcurrently(others, 8, async (other) => {
    await recordResult(ports, other, isMined ? await tryReadRefund(ports, other) : undefined)
  })
}

async function recordResult(
  ports: RefundPorts,
  { transfer }: SentRefund,
  use: AuthorizationUse | undefined,
): Promise<void> {
  await recordOutcome(
    ports,
    transfer,
    use?.status === 'transferred'
      ? { status: 'transferred', use }
      : { status: 'retry_later', delayMs: ports.pollMs },
  )
}

/** A node that does not answer now is asked again soon. */
async function tryReadRefund(
  ports: RefundPorts,
  { transfer, payments }: SentRefund,
): Promise<AuthorizationUse | undefined> {
  try {
    return await readRefund(ports, transfer, payments)
  } catch (error) {
    ports.notify({ type: 'fault', during: 'refunds', error })
    return undefined
  }
}
