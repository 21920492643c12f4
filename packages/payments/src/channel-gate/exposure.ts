import type { LedgerStore } from '@farebox/ledger'

/** What of all channels can be claimed, and what is in flight, in atomic units. */
export type Exposure = { unclaimed(): Promise<bigint> }

const freshMs = 1_000

/** Reads the totals at most once a second: between two readings the limit may be passed by a little. */
export function createExposure(
  store: Pick<LedgerStore, 'channelTotals'>,
  clock: () => number,
): Exposure {
  let reading: { readonly at: number; readonly amount: Promise<bigint> } | null = null

  async function read(): Promise<bigint> {
    const { claimable, reserved } = await store.channelTotals()
    return claimable + reserved
  }

  return {
    async unclaimed() {
      const now = clock()
      if (reading === null || now - reading.at >= freshMs) reading = { at: now, amount: read() }
      const current = reading
      try {
        return await current.amount
      } catch (error) {
        if (reading === current) reading = null
        throw error
      }
    },
  }
}
