import { atomicUsdc } from '@farebox/money'
import type { ConformanceCase } from '../conformance-case.ts'
import { applyEvents, bookErrors, hex, paymentOf, start } from '../fixtures.ts'
import {
  applyToChannel,
  channelErrors,
  channelEvents,
  channelId,
  channelOf,
  ended,
  held,
  hold,
  newCall,
  opened,
  voucher,
} from './channel-fixtures.ts'

/** A call reserves its ceiling, and one voucher pays for one call. */
export const callCases: readonly ConformanceCase[] = [
  {
    name: 'holding a call begins it, reserves its ceiling and keeps its voucher',
    run: async ({ store, other }, expect) => {
      const { channel } = await opened(store, 1)
      const outcome = await hold(store, 1, { number: 1, max: 1_000n })
      if (outcome.status !== 'held') throw new Error(outcome.status)
      const { id, status, version, kind, settlement, payload } = outcome.payment
      expect([status, version, kind, settlement, payload]).toEqual([
        'serving',
        1,
        'channel_call',
        null,
        null,
      ])
      expect(await other.load(id)).toEqual(outcome.payment)
      expect(outcome.channel).toEqual({
        ...channel,
        version: channel.version + 1,
        reserved: 1_000n,
        signed: 1_000n,
        signature: voucher(1_000n).signature,
        lastCallAt: start + 1,
        updatedAt: start + 500,
      })
      expect(await channelOf(other, 1)).toEqual(outcome.channel)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a completed call is charged, and the rest is released into its channel',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const begun = await held(store, 1, { number: 1, max: 1_000n })
      const outcome = await store.apply(begun, {
        type: 'service_completed',
        cost: atomicUsdc(300n),
        usage: null,
        refund: { kind: 'batch' },
        at: start + 3_000,
      })
      if (outcome.status !== 'applied') throw new Error(outcome.status)
      const { payment: call, channel } = outcome
      expect(channel).toEqual(await channelOf(store, 1))
      expect([call.status, call.cost]).toEqual(['completed', 300n])
      expect(call.refund).toEqual({
        amount: 700n,
        status: 'released',
        nonce: null,
        transaction: null,
      })
      const { charged, reserved, unclaimedSince } = await channelOf(store, 1)
      expect([charged, reserved, unclaimedSince]).toEqual([300n, 0n, start + 3_000])
      const entries = (await store.entriesOf(call.id)).map((one) => [
        one.debit,
        one.credit,
        Number(one.amount),
      ])
      expect(entries).toEqual([
        ['payer_channel', 'liability', 1_000],
        ['liability', 'revenue', 300],
        ['liability', 'payer_channel', 700],
      ])
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a call that costs its whole ceiling releases nothing',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const call = await ended(store, await held(store, 1, { number: 1, max: 1_000n }), 1_000n)
      expect([call.cost, call.refund]).toEqual([1_000n, null])
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'the voucher of a call that cost nothing pays for another call',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const failed = await ended(store, await held(store, 1, { number: 1, max: 1_000n }), 0n)
      expect([failed.status, failed.cost]).toEqual(['failed', 0n])
      expect(await store.findCall(channelId(1), atomicUsdc(1_000n))).toBe(undefined)
      const free = await held(store, 1, { number: 2, max: 1_000n })
      await applyEvents(store, free, [
        {
          type: 'service_completed',
          cost: atomicUsdc(0n),
          usage: null,
          refund: { kind: 'batch' },
          at: start + 3_000,
        },
      ])
      const third = await held(store, 1, { number: 3, max: 1_000n })
      expect(await store.findCall(channelId(1), atomicUsdc(1_000n))).toEqual(third)
      expect((await channelOf(store, 1)).charged).toBe(0n)
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a voucher that paid for a call is taken, even where the channel does not cover another',
    run: async ({ store, other }, expect) => {
      await opened(store, 1, 1_000n)
      const call = await held(store, 1, { number: 1, max: 1_000n })
      const again = await hold(other, 1, { number: 2, max: 1_000n })
      expect(again.status).toBe('taken')
      if (again.status === 'taken') expect(again.payment).toEqual(call)
      const done = await ended(store, call, 300n)
      const later = await hold(other, 1, { number: 2, value: 700n, max: 1_000n })
      expect(later.status === 'taken' && later.payment).toEqual(done)
      expect(await other.load(newCall(1, 2).id)).toBe(undefined)
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'of 20 concurrent calls with one voucher, one is held and the others are taken',
    run: async ({ store, other }, expect) => {
      await opened(store, 1, 50_000n)
      await held(store, 1, { number: 50, max: 40_000n })
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, number) =>
          hold(number % 2 === 0 ? store : other, 1, { number, max: 30_000n }),
        ),
      )
      const statuses = outcomes.map(({ status }) => status)
      expect(statuses.filter((status) => status === 'held').length).toBe(1)
      expect(statuses.filter((status) => status === 'taken').length).toBe(19)
      expect((await channelOf(store, 1)).reserved).toBe(2_000n)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a call is a misfit beyond its voucher, and a stranger has no channel',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      await ended(store, await held(store, 1, { number: 1, max: 1_000n }), 400n)
      const beyond = await hold(store, 1, { number: 2, max: 1_399n })
      expect(beyond).toEqual({ status: 'misfit', channel: await channelOf(store, 1) })
      expect((await hold(store, 1, { number: 2, max: 1_400n })).status).toBe('held')
      expect(await hold(store, 2, { number: 3, max: 1_000n })).toEqual({ status: 'no_channel' })
      expect(await store.load(newCall(2, 3).id)).toBe(undefined)
    },
  },
  {
    name: 'a lower voucher pays for a call that a higher one covers',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      await held(store, 1, { number: 1, max: 2_000n })
      await held(store, 1, { number: 2, max: 1_500n })
      const { signed, signature, reserved } = await channelOf(store, 1)
      expect([signed, reserved]).toEqual([2_000n, 2_000n])
      expect(signature).toBe(voucher(2_000n).signature)
    },
  },
  {
    name: 'no call is held while a withdrawal is pending, nor by a closing or frozen channel',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const statusOf = async (): Promise<string> =>
        (await hold(store, 1, { number: 9, max: 1_000n })).status
      await applyToChannel(store, 1, [channelEvents.announced])
      expect(await statusOf()).toBe('misfit')
      await applyToChannel(store, 1, [channelEvents.cleared, channelEvents.closing])
      expect(await statusOf()).toBe('misfit')
      await applyToChannel(store, 1, [channelEvents.nonceUsed, channelEvents.frozen])
      expect(await statusOf()).toBe('misfit')
    },
  },
  {
    name: 'the smallest unused base skips vouchers that are used',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const base = (from: bigint, ceiling: bigint): Promise<bigint> =>
        store.unusedBase(channelId(1), atomicUsdc(from), atomicUsdc(ceiling))
      expect(await base(0n, 1_000n)).toBe(0n)
      for (const [number, max] of [1_000n, 1_001n, 1_003n].entries()) {
        await held(store, 1, { number, max: max + 5_000n })
      }
      expect(await base(5_000n, 1_000n)).toBe(5_002n)
      expect(await base(5_003n, 1_000n)).toBe(5_004n)
      expect(await base(5_000n, 999n)).toBe(5_000n)
      await ended(store, await paymentOf(store, await callOf(store, 6_001n)), 0n)
      expect(await base(5_000n, 1_000n)).toBe(5_001n)
    },
  },
  {
    name: 'a voucher over the greatest amount does not hide where a smaller one continues',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const greatest = 2n ** 63n - 1n
      await held(store, 1, { number: 1, max: greatest })
      await held(store, 1, { number: 2, max: 6_000n })
      const base = (from: bigint): Promise<bigint> =>
        store.unusedBase(channelId(1), atomicUsdc(from), atomicUsdc(1_000n))
      expect(await base(5_000n)).toBe(5_001n)
      expect(await base(greatest - 1_001n)).toBe(greatest - 1_001n)
    },
  },
  {
    name: 'the smallest voucher that covers an amount is published, and then pays for no call',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      await ended(store, await held(store, 1, { number: 1, max: 1_500n }), 0n)
      await ended(store, await held(store, 1, { number: 2, max: 2_500n }), 0n)
      const id = channelId(1)
      expect((await store.publishVoucher(id, atomicUsdc(1_501n)))?.voucher.max).toBe(2_500n)
      expect((await hold(store, 1, { number: 3, max: 2_500n })).status).toBe('taken')
      expect((await hold(store, 1, { number: 4, max: 1_500n })).status).toBe('held')
      const beyond = store.publishVoucher(id, atomicUsdc(2_501n))
      await expect(beyond).rejects.toMatchObject({ code: 'not_found' })
    },
  },
  {
    name: 'a turn is taken once, ends with its call, and can be taken over later',
    run: async ({ store, other }, expect) => {
      const { channel } = await opened(store, 1)
      const { requestDigest: digest } = newCall(1, 1)
      const turn = { digest, max: atomicUsdc(1_000n), until: 200 }
      expect((await store.takeTurn(channel, turn, 100))?.turn).toEqual(turn)
      const another = { ...turn, digest: 'another', until: 400 }
      expect(await other.takeTurn(channel, another, 199)).toBe(undefined)
      expect((await other.takeTurn(channel, { ...turn, until: 300 }, 199))?.turn?.until).toBe(300)
      expect((await other.takeTurn(channel, another, 300))?.turn).toEqual(another)
      await held(store, 1, { number: 1, max: 1_000n })
      expect((await channelOf(store, 1)).turn).toEqual(another)
      expect(await other.takeTurn(channel, turn, 400)).toBe(undefined)
      const changed = await channelOf(store, 1)
      const corrected = { ...turn, max: atomicUsdc(4_000n) }
      expect((await store.takeTurn(changed, corrected, 400))?.turn).toEqual(corrected)
      const call = { ...newCall(1, 2), requestDigest: digest }
      expect((await store.holdCall(call, voucher(3_999n))).status).toBe('held')
      expect((await channelOf(store, 1)).turn).toEqual(corrected)
      const retry = { ...newCall(1, 3), requestDigest: digest }
      expect((await store.holdCall(retry, voucher(4_000n))).status).toBe('held')
      expect((await channelOf(store, 1)).turn).toBe(null)
      expect(await store.takeTurn({ ...channel, id: channelId(9) }, turn, 100)).toBe(undefined)
    },
  },
  {
    name: 'a voucher that a turn keeps for another call holds none before the turn ends',
    run: async ({ store }, expect) => {
      const { channel } = await opened(store, 1)
      const turn = { digest: 'another', max: atomicUsdc(1_000n), until: start + 100 }
      await store.takeTurn(channel, turn, start)
      const before = { ...newCall(1, 1), createdAt: start + 99 }
      const refused = await store.holdCall(before, voucher(1_000n))
      expect(refused).toEqual({ status: 'misfit', channel: { ...channel, turn } })
      const after = { ...before, createdAt: start + 100 }
      expect((await store.holdCall(after, voucher(1_000n))).status).toBe('held')
    },
  },
  {
    name: 'a call waits for a turn if it would use what the awaited voucher covers',
    run: async ({ store }, expect) => {
      const { channel } = await opened(store, 1)
      const turn = { digest: 'another', max: atomicUsdc(1_500n), until: start + 100 }
      await store.takeTurn(channel, turn, start)
      const call = { ...newCall(1, 1), createdAt: start + 99 }
      const beyond = await store.holdCall(call, voucher(1_999n))
      expect(beyond).toEqual({ status: 'misfit', channel: { ...channel, turn } })
      expect((await store.holdCall(call, voucher(2_000n))).status).toBe('held')
      const second = { ...newCall(1, 2), createdAt: start + 99 }
      expect((await store.holdCall(second, voucher(2_500n))).status).toBe('misfit')
      const late = { ...second, createdAt: start + 100 }
      expect((await store.holdCall(late, voucher(2_500n))).status).toBe('held')

      const { channel: next } = await opened(store, 2)
      await store.takeTurn(next, { ...turn, max: atomicUsdc(2_000n) }, start)
      const below = { ...newCall(2, 3), createdAt: start + 99 }
      expect((await store.holdCall(below, voucher(1_000n))).status).toBe('held')
    },
  },
  {
    name: 'a held call has a new id and nonce, a payment of its kind and a whole signature',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const call = newCall(1, 1)
      const refuses = (changes: object, code: string, max = 1_000n): Promise<void> =>
        expect(store.holdCall({ ...call, ...changes }, voucher(max))).rejects.toMatchObject({
          code,
        })
      await refuses({ kind: 'sale', channelId: null }, 'invalid_payment')
      await refuses({ channelId: null }, 'invalid_payment')
      await refuses({ authorization: undefined }, 'invalid_payment')
      await refuses({}, 'invalid_payment', 0n)
      await refuses({}, 'invalid_payment', 1n << 64n)
      await expect(
        store.holdCall(call, { max: atomicUsdc(1_000n), signature: '0xab' }),
      ).rejects.toMatchObject({ code: 'invalid_payment' })
      await expect(store.holdCall(call, undefined as never)).rejects.toMatchObject({
        code: 'invalid_payment',
        message: '"undefined" is not a valid voucher of a payment: use an object',
      })
      await held(store, 1, { number: 1, max: 1_000n })
      await refuses({}, 'duplicate_id', 2_000n)
      await refuses(
        { authorization: { ...call.authorization, nonce: hex(9, 32) } },
        'duplicate_id',
        2_000n,
      )
      await refuses({ id: newCall(1, 2).id }, 'duplicate_id', 2_000n)
      expect((await channelOf(store, 1)).reserved).toBe(1_000n)
    },
  },
]

async function callOf(store: Parameters<typeof hold>[0], max: bigint) {
  const call = await store.findCall(channelId(1), atomicUsdc(max))
  if (call === undefined) throw new Error(`no call is paid by ${max}`)
  return call
}
