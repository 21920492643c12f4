import { atomicUsdc } from '@farebox/money'
import type { LimitInAll } from '../../channel/call-limits.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { bookErrors } from '../fixtures.ts'
import {
  applyToChannel,
  channelErrors,
  channelEvents,
  channelId,
  channelOf,
  ended,
  held,
  hold,
  opened,
  payerOf,
} from './channel-fixtures.ts'

/** Calls at once stay within the limits of their channel, of their payer and of all channels. */
export const limitCases: readonly ConformanceCase[] = [
  {
    name: 'calls that are held at once stay together within the limit of their channel',
    run: async ({ store, other }, expect) => {
      await opened(store, 1)
      const limits = { ofChannel: atomicUsdc(1_500n), inAll: null }
      const outcomes = await Promise.all([
        hold(store, 1, { number: 1, max: 1_000n, limits }),
        hold(other, 1, { number: 2, max: 2_000n, limits }),
      ])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['held', 'limit_reached'])
      expect((await channelOf(store, 1)).reserved).toBe(1_000n)
      const [call] = outcomes.flatMap((one) => (one.status === 'held' ? [one.payment] : []))
      if (call === undefined) throw new Error('no call is held')
      await ended(store, call, 600n)
      const next = { number: 3, max: 3_000n, limits }
      expect(await hold(store, 1, next)).toEqual({
        status: 'limit_reached',
        limit: 'of_channel',
        channel: await channelOf(other, 1),
      })
      await applyToChannel(store, 1, [channelEvents.claimed(600n)])
      expect((await hold(store, 1, next)).status).toBe('held')
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'calls of several channels that are held at once stay within the limit of all',
    run: async ({ store, other }, expect) => {
      const channels = [1, 2, 3, 4, 5, 6]
      for (const channel of channels) await opened(store, channel)
      const limits = { ofChannel: atomicUsdc(9_000n), inAll: inAllOf(3_500n, 1n) }
      const outcomes = await Promise.all(
        channels.map((channel) =>
          hold(channel % 2 === 0 ? store : other, channel, {
            number: channel,
            max: 1_000n,
            limits,
          }),
        ),
      )
      const held = outcomes.flatMap((one) => (one.status === 'held' ? [one.payment] : []))
      const refused = outcomes.flatMap((one) => (one.status === 'limit_reached' ? [one] : []))
      expect([held.length, refused.map(({ limit }) => limit)]).toEqual([
        3,
        ['in_all', 'in_all', 'in_all'],
      ])
      const [first] = held
      const waits = refused[0]?.channel.id
      const channel = channels.find((number) => channelId(number) === waits)
      if (first === undefined || channel === undefined) throw new Error('none is refused')
      const again = { number: 20, max: 1_000n, limits }
      expect((await hold(store, channel, again)).status).toBe('limit_reached')
      expect((await hold(store, channel, { ...again, max: 1n })).status).toBe('misfit')
      await ended(store, first, 0n)
      expect((await hold(other, channel, again)).status).toBe('held')
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'above half of the limit of all, a payer has what was claimed from its channels, or a part of what is left',
    run: async ({ store, other }, expect) => {
      for (const channel of [1, 2, 102, 3]) await opened(store, channel)
      const limits = { ofChannel: atomicUsdc(9_000n), inAll: inAllOf(10_000n, 5n) }
      const call = (channel: number, number: number, value: bigint) =>
        hold(number % 2 === 0 ? store : other, channel, { number, value, max: 9_000n, limits })
      const status = async (...[channel, number, value]: Parameters<typeof call>) => {
        const outcome = await call(channel, number, value)
        return outcome.status === 'limit_reached' ? outcome.limit : outcome.status
      }
      expect(await status(1, 1, 5_000n)).toBe('held')
      expect(await store.channelsAtRisk(payerOf(1))).toEqual({
        inAll: 5_000n,
        ofPayer: 5_000n,
        claimedOfPayer: 0n,
      })
      const atOnce = await Promise.all([call(2, 2, 1_000n), call(102, 3, 1_000n)])
      expect(atOnce.map((one) => one.status).toSorted()).toEqual(['held', 'limit_reached'])
      const [first] = atOnce.flatMap((one) => (one.status === 'held' ? [one] : []))
      if (first === undefined) throw new Error('no call is held')
      const channel = first.channel.id === channelId(2) ? 2 : 102
      expect(await status(3, 4, 801n)).toBe('of_payer')
      expect(await status(3, 4, 800n)).toBe('held')

      await ended(store, first.payment, 1_000n)
      expect(await status(2 + 102 - channel, 5, 1n)).toBe('of_payer')
      await applyToChannel(store, channel, [channelEvents.claimed(1_000n)])
      expect(await store.channelsAtRisk(payerOf(2))).toEqual({
        inAll: 5_800n,
        ofPayer: 0n,
        claimedOfPayer: 1_000n,
      })
      expect(await status(2 + 102 - channel, 5, 1_001n)).toBe('of_payer')
      expect(await status(2 + 102 - channel, 5, 1_000n)).toBe('held')
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'what a payer bought from channels counts, and its deposits do not',
    run: async ({ store, other }, expect) => {
      const { deposit } = await opened(store, 1)
      await ended(store, await held(store, 1, { number: 1, max: 1_000n }), 300n)
      await held(store, 1, { number: 2, max: 1_300n })
      const { authorization: payer } = deposit
      const search = { payer, requestsSince: 0, spentSince: 0 }
      const { requests, spent } = await other.payerSpending(search)
      expect([requests, spent]).toEqual([2, 1_300n])
    },
  },
  {
    name: 'concurrent calls are never held beyond the deposit',
    run: async ({ store, other }, expect) => {
      await opened(store, 1, 5_500n)
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, number) =>
          hold(number % 2 === 0 ? store : other, 1, {
            number,
            max: 20_000n + BigInt(number),
          }),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'held').length).toBe(5)
      expect(outcomes.filter(({ status }) => status === 'misfit').length).toBe(7)
      expect((await channelOf(store, 1)).reserved).toBe(5_000n)
      expect(await channelErrors(store)).toEqual([])
    },
  },
]

function inAllOf(max: bigint, newPayers: bigint): LimitInAll {
  return { max: atomicUsdc(max), newPayers }
}
