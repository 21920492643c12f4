import type { Random } from './random.ts'

/** How often what goes wrong, in one run. All of it is zero once the faults stop. */
export type Faults = {
  /** A process ends without notice, per second and replica. */
  readonly crash: number
  /** A call to the store fails, with or without having been done. */
  readonly store: number
  /** A question to the node is not answered. */
  readonly node: number
  /** The node answers from a block or two ago. */
  readonly lag: number
  /** Blocks are undone, per block. */
  readonly reorganisation: number
  /** A transaction is not in the next block, or is forgotten with a block that was undone. */
  readonly mempool: number
  /** The facilitator hangs, fails before or after it sent, or answers garbage. */
  readonly facilitator: number
  /** The facilitator says what is not true. */
  readonly lie: number
  /** Sending a refund fails, before or after it was sent. */
  readonly sender: number
  /** The upstream fails, or its answer is cut. */
  readonly upstream: number
  /** A client goes away, comes twice at once, or acts against its own payment. */
  readonly client: number
  /** The token is paused, a payee blocked, or the treasury emptied, per second. */
  readonly token: number
  /** A message takes much longer than usual. */
  readonly delay: number
}

export const noFaults: Faults = {
  crash: 0,
  store: 0,
  node: 0,
  lag: 0,
  reorganisation: 0,
  mempool: 0,
  facilitator: 0,
  lie: 0,
  sender: 0,
  upstream: 0,
  client: 0,
  token: 0,
  delay: 0,
}

const worst: Faults = {
  crash: 0.05,
  store: 0.08,
  node: 0.15,
  lag: 0.3,
  reorganisation: 0.2,
  mempool: 0.4,
  facilitator: 0.5,
  lie: 0.15,
  sender: 0.4,
  upstream: 0.3,
  client: 0.5,
  token: 0.05,
  delay: 0.1,
}

/** Each run has its own mixture: some kinds of fault are off, others up to their worst. */
export function drawFaults(random: Random): Faults {
  const draw = (most: number): number => (random.chance(0.4) ? 0 : most * random.fraction())
  return {
    crash: draw(worst.crash),
    store: draw(worst.store),
    node: draw(worst.node),
    lag: draw(worst.lag),
    reorganisation: draw(worst.reorganisation),
    mempool: draw(worst.mempool),
    facilitator: draw(worst.facilitator),
    lie: draw(worst.lie),
    sender: draw(worst.sender),
    upstream: draw(worst.upstream),
    client: draw(worst.client),
    token: draw(worst.token),
    delay: draw(worst.delay),
  }
}

/**
 * Mistakes that the code under test does not make, planted to see that the simulation would notice
 * them.
 */
export type Sabotage =
  /** A refund is sent as soon as its settlement is in a block. */
  | 'refunds do not wait for depth'
  /** A crash takes back what was acknowledged shortly before. */
  | 'commits are not durable'
  /** Who comes second is told that he was first, and has the lease. Either alone is made good. */
  | 'leases and compare-and-set let everybody through'
  /** What a facilitator says it settled is taken for settled. */
  | "the facilitator's word is proof"
  /** An unused nonce is taken for expired as soon as anybody asks. */
  | 'silence is taken for a refusal'
