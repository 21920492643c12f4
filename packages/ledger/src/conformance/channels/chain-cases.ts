import { atomicUsdc } from '@farebox/money'
import type { ConformanceCase } from '../conformance-case.ts'
import { bookErrors, listed, proof, start } from '../fixtures.ts'
import {
  applyToChannel,
  channelErrors,
  channelEvents,
  channelId,
  channelOf,
  charged,
  ended,
  held,
  hold,
  opened,
} from './channel-fixtures.ts'

/** What the chain shows of a channel, and the rounds that work on it. */
export const chainCases: readonly ConformanceCase[] = [
  {
    name: 'a claim is proven once, and what was charged since is due later',
    run: async ({ store, other }, expect) => {
      await charged(store, 1)
      const claim = channelEvents.claimed(300n)
      const applied = await store.applyToChannel({ id: channelId(1) }, claim)
      expect(applied.status).toBe('applied')
      expect(await other.applyToChannel({ id: channelId(1) }, claim)).toEqual({
        status: 'known',
        channel: applied.channel,
      })
      expect([applied.channel.claimed, applied.channel.unclaimedSince]).toEqual([
        300n,
        start + 5_000,
      ])
      const all = await applyToChannel(store, 1, [channelEvents.claimed(100n, 701)])
      expect([all.claimed, all.unclaimedSince]).toEqual([400n, null])
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a claim that is booked again from another block is not taken back with the first',
    run: async ({ store, other }, expect) => {
      await charged(store, 1)
      const first = channelEvents.claimed(300n)
      const { proof: vanished, at } = first
      const loss = { type: 'claim_lost', amount: atomicUsdc(300n), proof: vanished, at } as const
      await applyToChannel(store, 1, [first, loss])
      await applyToChannel(store, 1, [{ ...first, proof: proof(700, 102) }])
      const outcome = await other.applyToChannel({ id: channelId(1) }, loss)
      expect([outcome.status, outcome.channel.claimed]).toEqual(['known', 300n])
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a transaction that lies in another block now is counted again once it is taken back',
    run: async ({ store, other }, expect) => {
      await charged(store, 1)
      const refund = channelEvents.returned('refund', 9_600n)
      await applyToChannel(store, 1, [channelEvents.closing, refund])
      const claimBefore = { ...channelEvents.claimed(400n), proof: proof(800, 102) }
      const again = { ...refund, proof: { ...proof(800, 102), logIndex: 4 } }
      for (const event of [claimBefore, again]) {
        const outcome = await other.applyToChannel({ id: channelId(1) }, event)
        expect(outcome.status).toBe('known')
      }
      const { returned, claimed, refundNonce } = await channelOf(store, 1)
      expect([returned, claimed, refundNonce]).toEqual([9_600n, 0n, 1n])
      const closed = await applyToChannel(store, 1, [
        { ...refund, type: 'return_lost' },
        claimBefore,
        again,
      ])
      expect([closed.returned, closed.claimed, closed.refundNonce]).toEqual([9_600n, 400n, 1n])
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a claim beyond what was charged is refused',
    run: async ({ store }, expect) => {
      await charged(store, 1)
      for (const amount of [401n, 0n]) {
        await expect(
          store.applyToChannel({ id: channelId(1) }, channelEvents.claimed(amount)),
        ).rejects.toMatchObject({ code: 'invalid_transition' })
      }
      expect(await listed(store.exportMovements())).toEqual([])
    },
  },
  {
    name: 'a movement within the escrow that another has emptied is refused',
    run: async ({ store, other }, expect) => {
      await charged(store, 1)
      await applyToChannel(store, 1, [channelEvents.returned('refund', 9_600n)])
      const late = { ...channelEvents.returned('refund', 401n, 801), within: 'escrow' } as const
      await expect(other.applyToChannel({ id: channelId(1) }, late)).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a lost claim can be claimed again, and its log proven again',
    run: async ({ store }, expect) => {
      await charged(store, 1)
      const loss = { type: 'claim_lost', proof: proof(700), at: start + 6_000 } as const
      await applyToChannel(store, 1, [
        channelEvents.claimed(400n),
        { ...loss, amount: atomicUsdc(400n) },
      ])
      const { claimed, unclaimedSince } = await channelOf(store, 1)
      expect([claimed, unclaimedSince]).toEqual([0n, start + 6_000])
      const again = await store.applyToChannel(
        { id: channelId(1) },
        { ...loss, amount: atomicUsdc(400n) },
      )
      expect(again.status).toBe('known')
      await applyToChannel(store, 1, [channelEvents.claimed(400n)])
      expect((await listed(store.exportMovements())).map(({ movement }) => movement.lost)).toEqual([
        true,
        false,
      ])
      await expect(
        store.applyToChannel(
          { id: channelId(1) },
          { ...loss, proof: proof(9), amount: atomicUsdc(400n) },
        ),
      ).rejects.toMatchObject({ code: 'not_found' })
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'a refund closes a closing channel, and another deposit opens it again',
    run: async ({ store }, expect) => {
      await charged(store, 1)
      const closed = await applyToChannel(store, 1, [
        channelEvents.closing,
        channelEvents.claimed(400n),
        channelEvents.returned('refund', 9_600n),
      ])
      expect([closed.status, closed.returned, closed.refundNonce]).toEqual(['closed', 9_600n, 1n])
      expect((await hold(store, 1, { number: 1, max: 2_000n })).status).toBe('misfit')
      const reopened = await applyToChannel(store, 1, [channelEvents.deposited(5_000n)])
      expect(reopened.status).toBe('open')
      const call = await hold(store, 1, { number: 1, max: 2_000n })
      expect(call.status).toBe('held')
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    },
  },
  {
    name: 'a lost refund closes the channel again, and a lost withdrawal is pending again',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      const loss = { type: 'return_lost', proof: proof(800), at: start + 7_000 } as const
      const afterRefund = await applyToChannel(store, 1, [
        channelEvents.closing,
        channelEvents.returned('refund', 10_000n),
        { ...loss, by: 'refund', amount: atomicUsdc(10_000n) },
      ])
      expect([afterRefund.status, afterRefund.returned, afterRefund.refundNonce]).toEqual([
        'closing',
        0n,
        0n,
      ])
      const withdrawn = await applyToChannel(store, 1, [
        channelEvents.announced,
        channelEvents.returned('withdrawal', 10_000n),
      ])
      expect([withdrawn.withdrawAt, withdrawn.returned]).toEqual([null, 10_000n])
      const lost = await applyToChannel(store, 1, [
        { ...loss, by: 'withdrawal', amount: atomicUsdc(10_000n) },
      ])
      expect([lost.withdrawAt, lost.returned]).toEqual([start / 1000 + 7, 0n])
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'one log proves one movement',
    run: async ({ store }, expect) => {
      await charged(store, 1)
      await charged(store, 2)
      await applyToChannel(store, 1, [channelEvents.claimed(400n)])
      await expect(
        store.applyToChannel({ id: channelId(2) }, channelEvents.claimed(400n)),
      ).rejects.toMatchObject({ code: 'proof_used' })
      await expect(
        store.applyToChannel({ id: channelId(9) }, channelEvents.closing),
      ).rejects.toMatchObject({ code: 'not_found' })
    },
  },
  {
    name: 'a settle is booked once and can be taken back',
    run: async ({ store, other }, expect) => {
      await charged(store, 1)
      await applyToChannel(store, 1, [channelEvents.claimed(400n)])
      expect((await store.channelTotals()).unsettled).toBe(400n)
      const settle = {
        chainId: 84532,
        amount: atomicUsdc(400n),
        proof: proof(900),
        at: start + 8_000,
      } as const
      const outcomes = await Promise.all(
        [store, other].map((replica) => replica.recordSettle({ ...settle, type: 'settled' })),
      )
      expect(outcomes.toSorted()).toEqual(['known', 'recorded'])
      const [, booked] = await listed(store.exportMovements())
      expect(booked).toEqual({
        movement: { ...settle, kind: 'settle', channelId: null, lost: false },
        entries: [
          { channelId: null, debit: 'treasury', credit: 'escrow', amount: 400n, at: settle.at },
        ],
      })
      expect((await store.channelTotals()).unsettled).toBe(0n)
      expect(await channelErrors(store)).toEqual([])
      expect(await store.recordSettle({ ...settle, type: 'settle_lost' })).toBe('recorded')
      expect(await store.recordSettle({ ...settle, type: 'settle_lost' })).toBe('known')
      expect((await store.channelTotals()).unsettled).toBe(400n)
      expect(await channelErrors(store)).toEqual([])
    },
  },
  {
    name: 'movements are found by block, without those that were lost',
    run: async ({ store }, expect) => {
      await charged(store, 1)
      await applyToChannel(store, 1, [
        { ...channelEvents.claimed(100n, 1), proof: proof(1, 205) },
        { ...channelEvents.claimed(100n, 2), proof: proof(2, 204) },
        { ...channelEvents.claimed(100n, 3), proof: proof(3, 206) },
        {
          type: 'claim_lost',
          amount: atomicUsdc(100n),
          proof: proof(3, 206),
          at: start + 9_000,
        },
      ])
      const blocks = async (fromBlock: number): Promise<readonly number[]> =>
        (await store.channelMovements({ chainId: 84532, fromBlock })).map((one) => one.proof.block)
      expect(await blocks(0)).toEqual([204, 205])
      expect(await blocks(205)).toEqual([205])
      expect(await store.channelMovements({ chainId: 1, fromBlock: 0 })).toEqual([])
    },
  },
  {
    name: 'the smallest voucher that covers the charge is published, and then pays for no call',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      expect(await store.publishVoucher(channelId(1))).toBe(undefined)
      const low = await held(store, 1, { number: 1, max: 1_500n })
      const free = await held(store, 1, { number: 2, max: 2_500n })
      await held(store, 1, { number: 3, max: 9_000n })
      await ended(store, low, 400n)
      const first = await store.publishVoucher(channelId(1))
      expect([first?.voucher.max, first?.channel.charged]).toEqual([1_500n, 400n])
      const more = await held(store, 1, { number: 4, value: 2_000n, max: 8_000n })
      await ended(store, more, 1_200n)
      await ended(store, free, 0n)
      expect((await store.publishVoucher(channelId(1)))?.voucher.max).toBe(2_500n)
      const replay = await hold(store, 1, { number: 5, max: 2_500n })
      expect(replay.status).toBe('taken')
      expect(await store.unusedBase(channelId(1), atomicUsdc(1_500n), atomicUsdc(1_000n))).toBe(
        1_501n,
      )
      await applyToChannel(store, 1, [channelEvents.claimed(1_600n)])
      expect(await store.publishVoucher(channelId(1))).toBe(undefined)
    },
  },
  {
    name: 'a voucher published while its call is in flight stays used when the call costs nothing',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      await ended(store, await held(store, 1, { number: 1, max: 1_000n }), 1_000n)
      const call = await held(store, 1, { number: 2, max: 2_000n })
      await ended(store, await held(store, 1, { number: 3, max: 3_000n }), 10n)
      expect((await store.publishVoucher(channelId(1)))?.voucher.max).toBe(2_000n)
      await ended(store, call, 0n)
      expect((await hold(store, 1, { number: 4, max: 2_000n })).status).toBe('taken')
    },
  },
  {
    name: 'totals add up the channels that are not closed',
    run: async ({ store }, expect) => {
      await charged(store, 1)
      await charged(store, 2)
      await held(store, 2, { number: 5, max: 3_000n })
      await opened(store, 3)
      await applyToChannel(store, 3, [
        channelEvents.closing,
        channelEvents.returned('refund', 10_000n),
      ])
      await applyToChannel(store, 1, [channelEvents.claimed(400n)])
      expect(await store.channelTotals()).toEqual({
        channels: 2,
        deposited: 20_000n,
        returned: 0n,
        charged: 800n,
        reserved: 1_000n,
        claimed: 400n,
        claimable: 400n,
        frozen: 0,
        unsettled: 400n,
      })
      await applyToChannel(store, 2, [channelEvents.returned('withdrawal', 9_700n, 803)])
      expect((await store.channelTotals()).claimable).toBe(300n)
      expect((await listed(store.exportChannels())).map(({ id }) => id)).toEqual(
        [1, 2, 3].map(channelId),
      )
    },
  },
  {
    name: 'a frozen channel is counted as long as it holds escrow',
    run: async ({ store }, expect) => {
      await opened(store, 1)
      await applyToChannel(store, 1, [channelEvents.frozen])
      expect((await store.channelTotals()).frozen).toBe(1)
      await applyToChannel(store, 1, [channelEvents.returned('withdrawal', 10_000n)])
      expect((await store.channelTotals()).frozen).toBe(0)
    },
  },
]
