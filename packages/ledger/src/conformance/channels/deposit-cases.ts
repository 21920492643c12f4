import { dayMs } from '../../store/ledger-reports.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import {
  applyEvents,
  bookErrors,
  claimed,
  newPayment,
  paymentOf,
  proof,
  start,
} from '../fixtures.ts'
import {
  applyToChannel,
  channelErrors,
  channelEvents,
  channelId,
  channelOf,
  newChannel,
  newDeposit,
  opened,
} from './channel-fixtures.ts'

/** A deposit is a payment into a channel, which counts once, by its log. */
export const depositCases: readonly ConformanceCase[] = [
  {
    name: 'claiming a deposit inserts it and its channel',
    run: async ({ store, other }, expect) => {
      const claim = await store.claimDeposit(newDeposit(1, 1), newChannel(1))
      if (claim.status !== 'claimed') throw new Error(claim.status)
      const { status, kind, channelId: channel } = claim.payment
      expect([status, kind, channel]).toEqual(['settling', 'channel_deposit', channelId(1)])
      expect(await other.load(claim.payment.id)).toEqual(claim.payment)
      expect(await other.findByAuthorization(claim.payment.authorization)).toEqual(claim.payment)
      expect(await channelOf(other, 1)).toEqual({
        ...newChannel(1),
        status: 'opening',
        reason: null,
        version: 1,
        deposited: 0n,
        returned: 0n,
        charged: 0n,
        reserved: 0n,
        signed: 0n,
        signature: null,
        claimed: 0n,
        unclaimedSince: null,
        refundNonce: 0n,
        withdrawAt: null,
        turn: null,
        lease: null,
        lastCallAt: start,
        updatedAt: start,
      })
      expect(await other.loadChannel(channelId(2))).toBe(undefined)
    },
  },
  {
    name: 'a proven deposit is completed, opens its channel and adds no revenue',
    run: async ({ store }, expect) => {
      const { deposit, channel } = await opened(store, 1, 7_000n)
      const { status, cost, refund, reason } = deposit
      expect([status, cost, refund, reason]).toEqual(['completed', 7_000n, null, null])
      expect([channel.status, channel.deposited]).toEqual(['open', 7_000n])
      expect(
        (await store.entriesOf(deposit.id)).map((one) => [
          one.debit,
          one.credit,
          Number(one.amount),
        ]),
      ).toEqual([['escrow', 'payer_channel', 7_000]])
      const day = start - (start % dayMs)
      expect(await store.revenueByDay({ from: day, to: day + dayMs, now: start })).toEqual([])
      expect((await store.owed()).payerChannel).toBe(7_000n)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'one deposit into a channel is in flight at a time',
    run: async ({ store, other }, expect) => {
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, number) =>
          (number % 2 === 0 ? store : other).claimDeposit(newDeposit(1, number), newChannel(1)),
        ),
      )
      const first = claims.find(({ status }) => status === 'claimed')
      if (first?.status !== 'claimed') throw new Error('no deposit is claimed')
      const others = claims.filter((claim) => claim !== first)
      expect(others).toEqual(
        others.map(() => ({ status: 'deposit_pending', payment: first.payment })),
      )
      const again = await store.claimDeposit(
        { ...newPayment(99), ...newDeposit(1, 99), authorization: first.payment.authorization },
        newChannel(1),
      )
      expect(again).toEqual({ status: 'taken', payment: first.payment })
      expect((await other.claimDeposit(newDeposit(2, 20), newChannel(2))).status).toBe('claimed')
      await applyEvents(store, first.payment, [
        { type: 'settlement_proven', proof: proof(1), at: start + 1 },
      ])
      expect((await store.claimDeposit(newDeposit(1, 30), newChannel(1))).status).toBe('claimed')
    },
  },
  {
    name: 'deposits and sales of one payer are judged together against its balance',
    run: async ({ store }, expect) => {
      const { authorization } = newDeposit(1, 1)
      await claimed(store, 5, {
        authorization: { ...authorization, nonce: newPayment(5).authorization.nonce },
      })
      const claim = (balance: bigint): Promise<string> =>
        store
          .claimDeposit(newDeposit(1, 2, 3_000n), newChannel(1), balance)
          .then(({ status }) => status)
      expect(await claim(12_999n)).toBe('beyond_balance')
      expect(await store.loadChannel(channelId(1))).toBe(undefined)
      expect(await claim(13_000n)).toBe('claimed')
    },
  },
  {
    name: 'a deposit counts from any state, even if its log is older than its claim',
    run: async ({ store }, expect) => {
      const ends = ['settlement_unknown', 'settlement_rejected', 'authorization_expired'] as const
      for (const [number, type] of ends.entries()) {
        const claim = await store.claimDeposit(newDeposit(1, number), newChannel(1))
        if (claim.status !== 'claimed') throw new Error(claim.status)
        const deposit = await applyEvents(store, claim.payment, [
          { type, reason: 'timeout', hint: null, at: start + 1 },
          { type: 'settlement_proven', proof: proof(number, 90), at: start + 2 },
        ])
        expect([deposit.status, deposit.reason]).toEqual(['completed', null])
      }
      expect((await channelOf(store, 1)).deposited).toBe(30_000n)
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a lost deposit is taken back, counts again when it is proven again, and ends when it expires',
    run: async ({ store }, expect) => {
      const { deposit } = await opened(store, 1)
      const lost = await applyEvents(store, deposit, [{ type: 'settlement_lost', at: start + 600 }])
      expect((await channelOf(store, 1)).deposited).toBe(0n)
      expect([lost.status, lost.payload === null]).toEqual(['completed', false])
      const unfinished = await store.leaseUnfinished({ owner: 'a', now: 1, until: 2, limit: 9 })
      expect(unfinished.map(({ id }) => id)).toEqual([deposit.id])
      const again = await applyEvents(store, await paymentOf(store, deposit), [
        { type: 'settlement_proven', proof: proof(7, 105), at: start + 700 },
        { type: 'settlement_proven', proof: proof(7, 106), at: start + 800 },
        { type: 'settlement_final', at: start + 900 },
      ])
      expect((await channelOf(store, 1)).deposited).toBe(10_000n)
      expect(again.payload).toBe(null)
      const second = await opened(store, 2)
      await applyEvents(store, second.deposit, [
        { type: 'settlement_lost', at: start + 600 },
        { type: 'authorization_expired', at: start + 700 },
      ])
      expect((await channelOf(store, 2)).deposited).toBe(0n)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a deposit cannot be served or refunded',
    run: async ({ store }, expect) => {
      const { deposit } = await opened(store, 1)
      const refused = (event: Parameters<typeof store.apply>[1]): Promise<void> =>
        expect(store.apply(deposit, event)).rejects.toMatchObject({ code: 'invalid_transition' })
      await refused({ type: 'service_started', at: start })
      await refused({
        type: 'service_failed',
        reason: 'upstream_failed',
        refund: { kind: 'batch' },
        at: start,
      })
    },
  },
  {
    name: 'a deposit from elsewhere counts once, however often its log is read',
    run: async ({ store, other }, expect) => {
      const channel = await store.openChannel(newChannel(1))
      expect(channel.status).toBe('opening')
      const event = channelEvents.deposited(4_000n)
      const outcomes = await Promise.all(
        [store, other].map((replica) => replica.applyToChannel(channel, event)),
      )
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['applied', 'known'])
      expect(await other.openChannel(newChannel(1))).toEqual(await channelOf(store, 1))
      const { status, deposited } = await channelOf(store, 1)
      expect([status, deposited]).toEqual(['open', 4_000n])
      await applyToChannel(store, 1, [{ ...event, type: 'deposit_lost' }])
      expect((await channelOf(store, 1)).deposited).toBe(0n)
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a log that a payment proves is not counted as a deposit from elsewhere, in either order',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const seen = channelEvents.deposited(10_000n, 1_001)
      expect((await store.applyToChannel({ id: channelId(1) }, seen)).status).toBe('known')
      const claim = await store.claimDeposit(newDeposit(1, 5), newChannel(1))
      if (claim.status !== 'claimed') throw new Error(claim.status)
      await applyToChannel(store, 1, [channelEvents.deposited(10_000n, 5)])
      expect((await channelOf(store, 1)).deposited).toBe(20_000n)
      await applyEvents(store, claim.payment, [
        { type: 'settlement_proven', proof: proof(5), at: start + 9_000 },
      ])
      expect((await channelOf(store, 1)).deposited).toBe(20_000n)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a deposit that is read in another block than its payment was proven in counts once',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const seen = channelEvents.deposited(10_000n)
      const moved = { ...seen, proof: { ...proof(1_001, 102), logIndex: 7 } }
      expect((await store.applyToChannel({ id: channelId(1) }, moved)).status).toBe('known')
      const claim = await store.claimDeposit(newDeposit(1, 5), newChannel(1))
      if (claim.status !== 'claimed') throw new Error(claim.status)
      await applyToChannel(store, 1, [{ ...seen, proof: { ...proof(5, 102), logIndex: 7 } }])
      await applyEvents(store, claim.payment, [
        { type: 'settlement_proven', proof: proof(5), at: start + 9_000 },
      ])
      expect((await channelOf(store, 1)).deposited).toBe(20_000n)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a log of another amount or channel does not prove a deposit',
    run: async ({ store }, expect) => {
      await opened(store, 2)
      const claim = await store.claimDeposit(newDeposit(1, 5), newChannel(1))
      if (claim.status !== 'claimed') throw new Error(claim.status)
      await applyToChannel(store, 1, [channelEvents.deposited(9_999n, 5)])
      await applyToChannel(store, 2, [channelEvents.deposited(10_000n, 6)])
      for (const number of [5, 6]) {
        await expect(
          store.apply(claim.payment, {
            type: 'settlement_proven',
            proof: proof(number),
            at: start,
          }),
        ).rejects.toMatchObject({ code: 'proof_used' })
      }
      expect((await channelOf(store, 1)).deposited).toBe(9_999n)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a deposit names its own channel and kind, and a sale is not a deposit',
    run: async ({ store }, expect) => {
      const refused = async (claim: Promise<unknown>): Promise<void> => {
        await expect(claim).rejects.toMatchObject({ code: 'invalid_payment' })
      }
      await refused(store.claimDeposit(newDeposit(1, 1), newChannel(2)))
      await refused(store.claimDeposit(newPayment(1), newChannel(1)))
      await refused(store.claim(newDeposit(1, 1)))
      await refused(store.claimWithin(newDeposit(1, 1), 10_000n))
      await refused(store.claim({ ...newPayment(1), channelId: channelId(1) }))
      await refused(store.openChannel({ ...newChannel(1), id: '0x12' }))
      await refused(store.openChannel({ ...newChannel(1), config: undefined as never }))
    },
  },
  {
    name: 'a channel that never had a deposit is deleted with its last payment',
    run: async ({ store }, expect) => {
      const claim = await store.claimDeposit(newDeposit(1, 1), newChannel(1))
      if (claim.status !== 'claimed') throw new Error(claim.status)
      const times = { now: start, unpaidBefore: start + 10 }
      await store.prune(times)
      expect((await channelOf(store, 1)).status).toBe('opening')
      await applyEvents(store, claim.payment, [{ type: 'authorization_expired', at: start + 1 }])
      await opened(store, 2)
      await store.prune(times)
      expect(await store.loadChannel(channelId(1))).toBe(undefined)
      expect((await channelOf(store, 2)).status).toBe('open')
    },
  },
]
