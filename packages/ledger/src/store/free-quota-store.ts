/** Part of a day's free quota that one call holds. Amounts are in atomic units. */
export type FreeHold = {
  /** The first millisecond of the day in UTC. */
  readonly day: number
  /** The client's network address. */
  readonly address: string
  /** The most that the call can cost. */
  readonly amount: bigint
}

/** The limits of a day's free quota, in atomic units. */
export type FreeLimits = { readonly perAddress: bigint; readonly inAll: bigint }

/**
 * How much of a day's quota one address and all addresses have used, including holds of calls in
 * flight.
 */
export type FreeUsed = { readonly used: bigint; readonly usedInAll: bigint }

/** `exceeded`: the call would pass a limit, and nothing was written. */
export type FreeHoldOutcome = FreeUsed & { readonly status: 'held' | 'exceeded' }

/** What a free call cost. */
export type FreeBill = {
  readonly model: string
  /** At most what was held. */
  readonly cost: bigint
  /** What the provider bills; null where it is not known. */
  readonly providerCost: bigint | null
}

/** The free calls of one model on one day, in atomic units. */
export type FreeUse = {
  /** The first millisecond of the day in UTC. */
  readonly day: number
  readonly model: string
  readonly calls: number
  /** What was billed to the quota. */
  readonly cost: bigint
  /** What providers bill for the calls, as far as it is known. */
  readonly providerCost: bigint
}

/**
 * Counts what network addresses are served without payment, outside of the books: without entries
 * or payments. The limits of one address, and of all addresses together, hold across replicas.
 */
export type FreeQuotaStore = {
  /** Holds the most that a call can cost, unless that would pass a limit of its day. */
  holdFree(hold: FreeHold, limits: FreeLimits): Promise<FreeHoldOutcome>
  /** Replaces what a call held by what it cost. */
  billFree(hold: FreeHold, bill: FreeBill): Promise<FreeUsed>
  /** Releases the hold of a call that cost nothing. */
  releaseFree(hold: FreeHold): Promise<FreeUsed>
  /** The free calls from one day until before another, by day and model, in this order. */
  freeUseByDay(period: { readonly from: number; readonly to: number }): Promise<readonly FreeUse[]>
}

/** How long the addresses of a day are kept after it began: calls may end a day later. */
export const freeAddressesKeptMs: number = 2 * 86_400_000
