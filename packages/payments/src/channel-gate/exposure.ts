import type { LedgerStore } from '@farebox/ledger'

/** What all channels have charged and in flight that is not claimed, in atomic units. */
export type Exposure = { unclaimed(): Promise<bigint> }

const freshMs = 1_000

/** Reads the totals at most once a second: between two readings the limit may be passed by a little. */
export function createExposure(
  store: Pick<LedgerStore, 'channelTotals'>,
  clock: () => number,
): Exposure {
  let reading: { readonly at: number; readonly amount: Promise<bigint> } | null = null

  async function read(): Promise<bigint> {
    const { charged, reserved, claimed } = await store.channelTotals()
    return charged + reserved - claimed
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
