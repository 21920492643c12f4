import { type Hex, type LedgerStore, type LimitInAll, reachedLimit } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { createRecentReading } from '../scheduling/recent-reading.ts'

/** What can be claimed from all channels, and what is in flight, in atomic units. */
export type Exposure = {
  unclaimed(): Promise<bigint>
  /**
   * The limit that a call of this ceiling has to be held with. Null while less than a quarter of it is
   * used: then calls need not wait for each other, and the call counts until the next reading.
   */
  limitFor(ceiling: Usdc): Promise<LimitInAll | null>
  /** The limit that a call of a payer would exceed now, before anything is done for it. */
  reachedBy(payer: Hex, ceiling: Usdc): Promise<ReturnType<typeof reachedLimit>>
}

const freePart = 4n

/** `admitted` adds up the ceilings of the calls since it was read. */
type Reading = { readonly amount: bigint; admitted: bigint }

/** Reads the totals at most once a second. */
export function createExposure(
  store: Pick<LedgerStore, 'channelTotals' | 'channelsAtRisk'>,
  clock: () => number,
  limit: LimitInAll,
): Exposure {
  async function read(): Promise<Reading> {
    const { claimable, reserved } = await store.channelTotals()
    return { amount: claimable + reserved, admitted: 0n }
  }
  const current = createRecentReading(read, { clock, freshMs: 1_000 })

  return {
    unclaimed: async () => (await current()).amount,
    async limitFor(ceiling) {
      const reading = await current()
      reading.admitted += ceiling
      return freePart * (reading.amount + reading.admitted) > limit.max ? limit : null
    },
    async reachedBy(payer, ceiling) {
      const { amount } = await current()
      if (freePart * (amount + ceiling) <= limit.max) return null
      return reachedLimit(await store.channelsAtRisk(payer), ceiling, limit)
    },
  }
}
