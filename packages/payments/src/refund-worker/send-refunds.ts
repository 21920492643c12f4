import type { RefundTransfer } from '@farebox/ledger'
import type { AuthorizationUse, SignedRefund } from '../chain/chain.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import type { ReadyRefund } from './prepare-refund.ts'
import { parkRefund } from './refund-parking.ts'
import { advanceRefund, postponeRefund, type RefundPorts } from './refund-ports.ts'
import { bookTransfer, readRefund } from './track-refund.ts'

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
      for (const { refundTransfer } of batch) await parkRefund(ports, refundTransfer)
      return 0
    case 'sent':
      ports.breaker.close()
      break
    case 'unknown':
      break
  }
  const { transaction } = outcome
  const submitted = await Promise.all(
    batch.map((ready) => recordSubmission(ports, ready, transaction)),
  )
  await lookAfter(
    ports,
    submitted.flatMap((ready) => ready ?? []),
  )
  return batch.length
}

type Submitted = Pick<ReadyRefund, 'refundTransfer' | 'payments'>

async function recordSubmission(
  ports: RefundPorts,
  { refundTransfer, payments }: ReadyRefund,
  transaction: RefundTransfer['transaction'],
): Promise<Submitted | undefined> {
  if (transaction === null) return { refundTransfer, payments }
  const at = ports.clock()
  const submitted = await advanceRefund(ports, refundTransfer, {
    type: 'submitted',
    transaction,
    at,
  })
  if (submitted === undefined) return undefined
  ports.notify({ type: 'refund_submitted', refundTransfer: submitted, transaction })
  return { refundTransfer: submitted, payments }
}

/** Where the first of a batch is not to be found yet, the others need not be looked for. */
async function lookAfter(ports: RefundPorts, batch: readonly Submitted[]): Promise<void> {
  const [first, ...others] = batch
  if (first === undefined) return
  const isMined = await lookAt(ports, first)
  await forEachConcurrently(others, 8, async (other) => {
    if (isMined) await lookAt(ports, other)
    else await postponeRefund(ports, other.refundTransfer, ports.pollMs)
  })
}

/** Whether it is on the chain already; a node that does not say is asked again soon. */
async function lookAt(
  ports: RefundPorts,
  { refundTransfer, payments }: Submitted,
): Promise<boolean> {
  const use = await readQuietly(ports, { refundTransfer, payments })
  if (use?.status === 'transferred') await bookTransfer(ports, refundTransfer, use)
  else await postponeRefund(ports, refundTransfer, ports.pollMs)
  return use?.status === 'transferred'
}

async function readQuietly(
  ports: RefundPorts,
  { refundTransfer, payments }: Submitted,
): Promise<AuthorizationUse | undefined> {
  try {
    return await readRefund(ports, refundTransfer, payments)
  } catch (error) {
    ports.notify({ type: 'fault', during: 'refunds', error })
    return undefined
  }
}
