import { type ChannelRecord, LedgerError, type LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { readChannels } from '../../src/console/channels/read-channels.ts'

type Store = Pick<LedgerStore, 'channelTotals' | 'exportChannels'>

const totals = {
  channels: 0,
  deposited: 0n,
  returned: 0n,
  charged: 0n,
  reserved: 0n,
  claimed: 0n,
  claimable: 0n,
  frozen: 0,
  unsettled: 0n,
}

/** A store of channels in turn open and frozen, with one row that cannot be read. */
function storeOf(count: number): Store {
  return {
    channelTotals: async () => totals,
    async *exportChannels(onCorrupt) {
      onCorrupt?.(new LedgerError('corrupt_row', 'A row.'))
      for (let index = 0; index < count; index += 1) {
        yield {
          id: `0x${index.toString(16)}`,
          status: index % 2 === 0 ? 'open' : 'frozen',
          deposited: atomicUsdc(10n),
          returned: atomicUsdc(1n),
          claimed: atomicUsdc(2n),
        } as ChannelRecord
      }
    },
  }
}

test('the channels of a state are read page by page, each once', async () => {
  const store = storeOf(220)
  const first = await readChannels(store, { status: 'open' })
  expect(first).toMatchObject({ unread: ['A row.'], next: first.channels.at(-1)?.id })
  expect(first.states).toEqual({
    open: { channels: 110, escrow: 770n },
    frozen: { channels: 110, escrow: 770n },
  })
  const second = await readChannels(store, { status: 'open', after: first.next })
  const third = await readChannels(store, { status: 'open', after: second.next })
  expect(third.next).toBeUndefined()
  const pages = [first, second, third].map(({ channels }) => channels.map(({ id }) => id))
  expect(pages.map((ids) => ids.length)).toEqual([50, 50, 10])
  expect(new Set(pages.flat()).size).toBe(110)
})
