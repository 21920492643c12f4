import type { Random } from './random.ts'

/** How often each fault occurs in one run. All are zero once the faults stop. */
export type Faults = {
  /** A process is killed, per second and replica. */
  readonly crash: number
  /** A call to the store fails, before or after its commit. */
  readonly store: number
  /** The node does not answer a call. */
  readonly node: number
  /** The node is one or two blocks behind. */
  readonly lag: number
  /** Blocks are undone, per block. */
  readonly reorganization: number
  /** A transaction misses the next block, or is dropped with a block that was undone. */
  readonly mempool: number
  /** The facilitator hangs, or fails before or after it sent the transaction. */
  readonly facilitator: number
  /** The facilitator reports a false outcome. */
  readonly lie: number
  /** Sending a refund fails, before or after the transaction was sent. */
  readonly sender: number
  /** The upstream fails, or its response is truncated. */
  readonly upstream: number
  /** A client disconnects, sends copies at once, or acts against its own payment. */
  readonly client: number
  /** The token is paused, a payee blocked, or the treasury emptied, per second. */
  readonly token: number
  /** A message is delayed by seconds. */
  readonly delay: number
}

export const noFaults: Faults = {
  crash: 0,
  store: 0,
  node: 0,
  lag: 0,
  reorganization: 0,
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
  reorganization: 0.2,
  mempool: 0.4,
  facilitator: 0.5,
  lie: 0.15,
  sender: 0.4,
  upstream: 0.3,
  client: 0.5,
  token: 0.05,
  delay: 0.1,
}

/** Draws the faults of one run: some kinds are off, others occur up to their worst rate. */
export function drawFaults(random: Random): Faults {
  const draw = (most: number): number => (random.chance(0.4) ? 0 : most * random.fraction())
  return {
    crash: draw(worst.crash),
    store: draw(worst.store),
    node: draw(worst.node),
    lag: draw(worst.lag),
    reorganization: draw(worst.reorganization),
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

/** Bugs that the code under test does not have, planted to prove that the simulation finds them. */
export type PlantedBug =
  /** A refund is sent as soon as its settlement is in a block. */
  | 'refunds do not wait for confirmations'
  /** A crash loses commits that were acknowledged shortly before. */
  | 'commits are not durable'
  /** The loser of a race also gets the lease and the write. The code recovers from either alone. */
  | 'leases and compare-and-set always succeed'
  /** A settlement that the facilitator reports is not checked on the chain. */
  | "the facilitator's response is taken as proof"
  /** The payment of a request that was served is not found again once it has expired. */
  | 'what was served is not recognized'
  /** A voucher that paid for a call pays for another. */
  | 'a voucher buys again'
  /** Calls are held although the deposits do not cover them. */
  | 'deposits are not asked for'
  /** Calls are held although their vouchers do not cover what is charged and held. */
  | 'a voucher below what is held is taken'
  /** Channels from which a withdrawal was announced are not claimed from. */
  | 'withdrawals are not answered'
  /** The rest of a channel is returned while a call is in flight. */
  | 'a channel is closed while a call is held'
  /** A closing claims a part of what was charged. */
  | 'a refund is computed from an old voucher'
  /** A claim in a block that was undone counts together with the one that is made again. */
  | 'a claim counts twice after a reorganization'
  /** What a block logged that was undone stays booked. */
  | 'logs of undone blocks stay booked'
  /** Bytes leave before their proof for more than a process may lose. */
  | 'more is released than may be at risk'
  /** An unused nonce counts as expired at the first check. */
  | 'an unused nonce is taken as expired'
