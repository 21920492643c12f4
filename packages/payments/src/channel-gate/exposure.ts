import { type Hex, type LedgerStore, type LimitInAll, reachedLimit } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'

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

const freshMs = 1_000
const freePart = 4n

type Reading = { readonly at: number; readonly amount: Promise<bigint>; admitted: bigint }

/** Reads the totals at most once a second. */
export function createExposure(
  store: Pick<LedgerStore, 'channelTotals' | 'channelsAtRisk'>,
  clock: () => number,
  limit: LimitInAll,
): Exposure {
  let reading: Reading | null = null

  async function read(): Promise<bigint> {
    const { claimable, reserved } = await store.channelTotals()
    return claimable + reserved
  }

  async function current(): Promise<{ readonly reading: Reading; readonly amount: bigint }> {
    const now = clock()
    // The clock may have been set back.
    if (reading === null || Math.abs(now - reading.at) >= freshMs) {
      reading = { at: now, amount: read(), admitted: 0n }
    }
    const latest = reading
    try {
      return { reading: latest, amount: await latest.amount }
    } catch (error) {
      if (reading === latest) reading = null
      throw error
    }
  }

  return {
    unclaimed: async () => (await current()).amount,
    async limitFor(ceiling) {
      const { reading: latest, amount } = await current()
      latest.admitted += ceiling
      return freePart * (amount + latest.admitted) > limit.most ? limit : null
    },
    async reachedBy(payer, ceiling) {
      const { amount } = await current()
      if (freePart * (amount + ceiling) <= limit.most) return null
      return reachedLimit(await store.channelsAtRisk(payer), ceiling, limit)
    },
  }
}
