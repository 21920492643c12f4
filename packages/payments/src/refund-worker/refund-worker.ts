import type { RefundSender, RefundSigner } from '../chain/chain.ts'
import { faultReporter } from '../events/fault-reporter.ts'
import { type PaymentPortsOptions, paymentPorts } from '../policy/payment-ports.ts'
import { createLoop } from '../scheduling/background-loop.ts'
import { pause } from '../scheduling/timers.ts'
import { createRefundBreaker } from './refund-breaker.ts'
import type { RefundPorts } from './refund-ports.ts'
import { type RefundRound, runRefundRound } from './refund-round.ts'

export type RefundWorkerOptions = PaymentPortsOptions & {
  readonly sender: RefundSender
  readonly signer: RefundSigner
}

export type RefundWorker = {
  start(): void
  /**
   * Starts no further round and waits for the current one. With `drainMs`, rounds continue until
   * nothing is left to send, for at most that long.
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>
  /** Batches, checks and sends what is due now, once. */
  runOnce(): Promise<RefundRound>
}

/**
 * Creates the worker that sends refunds. Any number of replicas may run one on the same store: a
 * refund is worked on by one at a time, and the token lets its nonce pass once.
 */
export function createRefundWorker(options: RefundWorkerOptions): RefundWorker {
  const ports = refundPorts(options)
  const { clock, timers } = ports
  const { refundPollMs } = ports.policy
  const runOnce = (): Promise<RefundRound> => runRefundRound(ports)

  const loop = createLoop({
    timers,
    everyMs: refundPollMs / 2,
    work: runOnce,
    onFault: faultReporter(ports, 'refunds'),
  })

  async function drain(drainMs: number): Promise<void> {
    const deadline = clock() + drainMs
    while (clock() < deadline) {
      const { open, batched } = await runOnce()
      if (open === 0 && batched === 0) return
      await pause(timers, Math.min(refundPollMs, 250))
    }
  }

  return {
    runOnce,
    start: loop.start,
    async stop({ drainMs = 0 } = {}) {
      await loop.stop()
      if (drainMs > 0) await drain(drainMs)
    },
  }
}

/** Small refunds are batched only once in this many polls. */
const pollsPerBatching = 5

/** Its leases are distinct from those of the gate. */
function refundPorts(options: RefundWorkerOptions): RefundPorts {
  const { sender, signer } = options
  const ports = paymentPorts(options)
  const { clock, notify, policy } = ports
  return {
    ...ports,
    sender,
    signer,
    owner: `${ports.owner}/refunds`,
    breaker: createRefundBreaker({ clock, pauseMs: policy.refundPauseMs, notify }),
    takeBatchingTurn: onceIn(policy.refundPollMs * pollsPerBatching, clock),
  }
}

function onceIn(milliseconds: number, clock: () => number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const isDue = clock() - last >= milliseconds
    if (isDue) last = clock()
    return isDue
  }
}
