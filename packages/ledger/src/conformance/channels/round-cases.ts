import { atomicUsdc } from '@farebox/money'
import type { ChannelsDue } from '../../store/channel-store.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { start } from '../fixtures.ts'
import {
  applyToChannel,
  channelEvents,
  channelId,
  channelOf,
  charged,
  held,
  newChannel,
  opened,
} from './channel-fixtures.ts'

/** Which channels a round works on. */
export const roundCases: readonly ConformanceCase[] = [
  {
    name: 'a channel is leased like a payment',
    run: async ({ store, other }, expect) => {
      const { channel } = await opened(store, 1)
      const id = channelId(1)
      const leased = await store.leaseChannel(id, { owner: 'a', until: 200, now: 100 })
      expect(leased).toEqual({ ...channel, lease: { owner: 'a', until: 200 } })
      expect(await other.leaseChannel(id, { owner: 'b', until: 300, now: 199 })).toBe(undefined)
      expect((await store.leaseChannel(id, { owner: 'a', until: 250, now: 150 }))?.lease).toEqual({
        owner: 'a',
        until: 250,
      })
      await held(other, 1, { number: 1, max: 1_000n })
      expect((await channelOf(store, 1)).lease?.owner).toBe('a')
      expect(
        (await other.leaseChannel(id, { owner: 'b', until: 400, now: 250 }))?.lease?.owner,
      ).toBe('b')
      expect(await store.leaseChannel(channelId(9), { owner: 'a', until: 2, now: 1 })).toBe(
        undefined,
      )
    },
  },
  {
    name: 'each round leases the channels that it is for, the most urgent first',
    run: async ({ store }, expect) => {
      await charged(store, 1, 400n)
      await charged(store, 2, 900n)
      await opened(store, 3)
      await opened(store, 4, 50n)
      await store.openChannel(newChannel(5))
      await applyToChannel(store, 3, [channelEvents.announced])
      const found = async (
        due: ChannelsDue,
        limit = 9,
      ): Promise<readonly (string | undefined)[]> => {
        const leased = await store.leaseChannels(due, { owner: 'a', now: 100, until: 100, limit })
        return leased.map(({ id }) => id)
      }
      const ids = (...numbers: readonly number[]): readonly string[] => numbers.map(channelId)
      const above = atomicUsdc
      expect(await found({ due: 'claim', above: above(400n), before: 0 })).toEqual(ids(2))
      expect(await found({ due: 'claim', above: above(900n), before: start + 3_000 })).toEqual(
        ids(1, 2),
      )
      expect(await found({ due: 'claim', above: above(0n), before: 0 }, 1)).toEqual(ids(1))
      await charged(store, 6, 900n)
      await applyToChannel(store, 6, [channelEvents.returned('withdrawal', 9_900n, 801)])
      expect(await found({ due: 'claim', above: above(100n), before: 0 })).toEqual(ids(1, 2))
      await applyToChannel(store, 6, [channelEvents.returned('withdrawal', 100n, 802)])
      expect(await found({ due: 'claim', above: above(900n), before: start + 9_000 })).toEqual(
        ids(1, 2),
      )
      expect(await found({ due: 'withdrawal' })).toEqual(ids(3))
      expect(await found({ due: 'close', above: above(50n), before: start + 9_000 })).toEqual(
        ids(3, 1, 2),
      )
      expect(await found({ due: 'close', above: above(9_599n), before: start })).toEqual(ids(3))
      await held(store, 2, { number: 7, max: 5_000n })
      await applyToChannel(store, 2, [channelEvents.closing])
      await applyToChannel(store, 1, [channelEvents.closing])
      expect(await found({ due: 'refund' })).toEqual(ids(1))
    },
  },
  {
    name: 'two workers lease different channels',
    run: async ({ store, other }, expect) => {
      for (const number of [1, 2, 3]) await charged(store, number)
      const due = { due: 'claim', above: atomicUsdc(0n), before: 0 } as const
      const request = { now: 100, until: 200, limit: 2 }
      const shares = await Promise.all([
        store.leaseChannels(due, { ...request, owner: 'a' }),
        other.leaseChannels(due, { ...request, owner: 'b' }),
      ])
      const rest = await store.leaseChannels(due, { ...request, owner: 'c' })
      const ids = [...shares.flat(), ...rest].map(({ id }) => id)
      expect(ids.toSorted()).toEqual([1, 2, 3].map(channelId))
    },
  },
  {
    name: 'a lease from a clock that was ahead keeps no channel from a round',
    run: async ({ store, other }, expect) => {
      for (const number of [1, 2, 3]) {
        await charged(store, number)
        await applyToChannel(store, number, [channelEvents.announced])
      }
      const lease = async (number: number, until: number) =>
        await store.leaseChannel(channelId(number), { owner: 'a', now: until - 100, until })
      await lease(1, 301)
      await lease(2, 300)
      await lease(3, 3_600_000)
      const request = { owner: 'b', now: 100, until: 200, limit: 9 }
      const found = await other.leaseChannels({ due: 'withdrawal' }, request)
      expect(found.map(({ id, lease: taken }) => [id, taken])).toEqual(
        [1, 3].map((number) => [channelId(number), { owner: 'b', until: 200 }]),
      )
    },
  },
  ...(['claim', 'withdrawal', 'refund', 'close'] as const).map(
    (due): ConformanceCase => ({
      name: `the channels of a ${due} that were worked on come after those that were not`,
      run: async ({ store, other }, expect) => {
        const events = { claim: [], withdrawal: [channelEvents.announced], close: [] }
        for (const number of [1, 2, 3]) {
          await charged(store, number)
          await applyToChannel(store, number, { ...events, refund: [channelEvents.closing] }[due])
        }
        const found = async (now: number): Promise<readonly string[]> => {
          const which = { due, above: atomicUsdc(0n), before: start + 9_000 }
          const request = { owner: 'a', now, until: now + 50, limit: 2 }
          const leased = await store.leaseChannels(which, request)
          for (const { id } of leased) await store.leaseChannel(id, { owner: 'a', now, until: now })
          return leased.map(({ id }) => id)
        }
        const ids = (...numbers: readonly number[]): readonly string[] => numbers.map(channelId)
        expect(await found(100)).toEqual(ids(1, 2))
        expect(await found(200)).toEqual(ids(1, 3))
        expect(await found(300)).toEqual(ids(1, 2))
        expect(await found(400)).toEqual(ids(1, 3))
        // Its clock was ahead.
        await other.leaseChannel(channelId(2), { owner: 'b', now: 400, until: 3_600_000 })
        expect(await found(500)).toEqual(ids(1, 2))
      },
    }),
  ),
  {
    name: 'withdrawals from which something can be claimed are answered before the others',
    run: async ({ store }, expect) => {
      for (const number of [1, 2]) await opened(store, number)
      await charged(store, 3)
      await charged(store, 4)
      await applyToChannel(store, 4, [channelEvents.returned('withdrawal', 10_000n)])
      for (const number of [1, 2, 3, 4]) {
        await applyToChannel(store, number, [channelEvents.announced])
      }
      const found = async (now: number): Promise<readonly string[]> => {
        const request = { owner: 'a', now, until: now, limit: 1 }
        return (await store.leaseChannels({ due: 'withdrawal' }, request)).map(({ id }) => id)
      }
      expect(await found(100)).toEqual([channelId(3)])
      expect(await found(200)).toEqual([channelId(3)])
      await applyToChannel(store, 3, [channelEvents.claimed(400n)])
      expect(await found(300)).toEqual([channelId(1)])
      expect(await found(400)).toEqual([channelId(2)])
    },
  },
]
