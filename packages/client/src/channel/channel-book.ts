import { greatest, least } from '@farebox/money'

/** A call in flight: its voucher promises up to `max` in all, `ceiling` of it for this call. */
export type CallHold = {
  readonly max: bigint
  readonly ceiling: bigint
  /**
   * Ends the call at this cost, at most the ceiling: a server that states more is promised no more.
   * A voucher whose call cost nothing can be signed again.
   */
  end(cost: bigint): void
  /**
   * The server charges this much for the call. If no other call was in flight, the sum of all
   * earlier calls is known too; otherwise the call counts at its ceiling.
   */
  report(charged: bigint, call: 'in_flight' | 'ended'): void
  /** Whether the call is in flight, or its cost is not known yet. */
  isOpen(): boolean
}

/**
 * What one channel holds, and what was promised from it. Every voucher promises what is charged and
 * the ceilings of the calls in flight, so calls in parallel need no correction, whatever the order in
 * which they arrive.
 */
export type ChannelBook = {
  readonly balance: () => bigint
  readonly charged: () => bigint
  /** The part of it that was charged before the calls of this book. */
  readonly before: () => bigint
  /** What further calls can cost. */
  readonly rest: () => bigint
  covers(ceiling: bigint): boolean
  /** How much must be deposited for this call. */
  lacks(ceiling: bigint): bigint
  /** Begins a call; on top of `next`, if the server stated it. */
  hold(ceiling: bigint, next?: bigint): CallHold
  deposit(amount: bigint): void
  /** The server stated the cost of all ended calls. Ignored above the highest promise. */
  reconcile(stated: { readonly balance: bigint; readonly charged: bigint }): void
  /** The server stated the channel's state: the next voucher is signed on top of `next`. */
  adopt(stated: { readonly balance: bigint; readonly next: bigint }): void
}

export type BookBalance = { readonly balance: bigint; readonly charged: bigint }

/** Atomic units since the channel began. */
type Sums = {
  balance: bigint
  charged: bigint
  before: bigint
  /** What counts at the ceilings of ended calls, and may have cost less. */
  guessed: bigint
  /** The ceilings of calls in flight. */
  inFlight: bigint
  /** How many calls were begun, and how often what they cost was stated. */
  begun: number
  stated: number
  maxPromised: bigint
  /** Each promise buys one call. Sums below what is charged are never promised again. */
  readonly promised: Set<bigint>
}

/** Opens the book of a channel. Amounts are atomic units since the channel began. */
export function createChannelBook({ balance, charged }: BookBalance): ChannelBook {
  const counts = { before: charged, guessed: 0n, inFlight: 0n, begun: 0, stated: 0 }
  const sums: Sums = { balance, charged, ...counts, maxPromised: charged, promised: new Set() }
  const lacks = (ceiling: bigint): bigint => unusedBase(sums, ceiling) + ceiling - sums.balance

  return {
    balance: () => sums.balance,
    charged: () => sums.charged,
    before: () => sums.before,
    rest: () => greatest(sums.balance - sums.charged - sums.inFlight, 0n),
    covers: (ceiling) => lacks(ceiling) <= 0n,
    lacks,
    hold: (ceiling, next) => holdCall(sums, ceiling, next),
    deposit(amount) {
      sums.balance += amount
    },
    reconcile(stated) {
      if (stated.charged > sums.maxPromised) return
      sums.balance = stated.balance
      restate(sums, stated.charged)
      sums.guessed = 0n
      sums.stated += 1
    },
    adopt({ balance: stated, next }) {
      sums.balance = stated
      sums.maxPromised = greatest(sums.maxPromised, next)
      // The server's sum may or may not include calls of this book that have yet to arrive.
      const lowest = greatest(next - sums.inFlight, 0n)
      restate(sums, sums.inFlight === 0n ? lowest : greatest(lowest, sums.charged))
    },
  }
}

function unusedBase(sums: Sums, ceiling: bigint, lowest = sums.charged + sums.inFlight): bigint {
  let base = lowest
  while (sums.promised.has(base + ceiling)) base += 1n
  return base
}

function holdCall(sums: Sums, ceiling: bigint, next: bigint | undefined): CallHold {
  const base = unusedBase(sums, ceiling, next)
  const max = base + ceiling
  const isAlone = sums.inFlight === 0n
  const number = ++sums.begun
  const count = beginCount(sums, ceiling)
  let open = true
  sums.promised.add(max)
  sums.maxPromised = greatest(sums.maxPromised, max)

  function end(cost: bigint): void {
    open = false
    if (cost === 0n) sums.promised.delete(max)
    count(least(cost, ceiling))
  }

  return {
    max,
    ceiling,
    end,
    isOpen: () => open,
    report(amount, call) {
      const wasAlone = isAlone && sums.begun === number
      if (call === 'ended') return wasAlone ? end(amount) : count(ceiling)
      // The server's sum includes the ceiling of this call.
      const sum = base + amount - ceiling
      if (wasAlone && sum >= 0n && sum < sums.charged) restate(sums, sum)
    },
  }
}

/** Counts a call at its ceiling. The result counts what it cost instead, and may be called again. */
function beginCount(sums: Sums, ceiling: bigint): (cost: bigint) => void {
  /** How often the costs had been stated when this one was counted. */
  let countedAt: number | undefined
  let counted = 0n
  const guess = (cost: bigint): bigint => (cost === ceiling ? ceiling : 0n)
  sums.inFlight += ceiling
  return function count(cost) {
    if (countedAt === undefined) sums.inFlight -= ceiling
    countedAt ??= sums.stated
    // What was stated since includes what was counted.
    if (countedAt !== sums.stated) return
    charge(sums, cost - counted)
    sums.guessed += guess(cost) - guess(counted)
    counted = cost
  }
}

/** Calls that counted at their ceiling cost less if the sum is lower. What is higher was charged before. */
function restate(sums: Sums, charged: bigint): void {
  const excess = greatest(least(sums.charged - charged, sums.guessed), 0n)
  sums.before += charged - sums.charged + excess
  sums.guessed -= excess
  sums.charged = charged
}

function charge(sums: Sums, amount: bigint): void {
  sums.charged += amount
  for (const max of sums.promised) if (max <= sums.charged) sums.promised.delete(max)
}
