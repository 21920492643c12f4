import type { ChannelRecord, ChannelTurn, Hex, PaymentRecord } from '@farebox/ledger'
import { channelPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import type { CallAttempt, ChannelCall } from '../../src/channel-gate/channel-call.ts'
import type { ChannelPorts } from '../../src/channel-gate/channel-ports.ts'
import { correctCall } from '../../src/channel-gate/correct-call.ts'
import { createTurnstile, type Turnstile } from '../../src/channel-gate/turnstile.ts'
import { usdc } from '../support/pay.ts'

const id: Hex = `0x${'1'.repeat(64)}`
const start = 1_000_000
const policy = channelPolicy({ turnMs: 2_000, maxTurnWaitMs: 20_000, maxWaiting: 64 })

const charged300 = {
  id,
  version: 1,
  config: { withdrawDelay: 900 },
  charged: 300n,
  reserved: 1_000n,
  deposited: 100_000n,
  returned: 0n,
  claimed: 0n,
  signed: 1_300n,
  signature: '0xbest',
  withdrawAt: null,
  refundNonce: 0n,
  turn: null,
} as unknown as ChannelRecord

function callOf(digest: string, max: bigint, isWanted?: () => boolean): ChannelCall {
  const voucher = { channelId: id, max: usdc(max), signature: '0xown' }
  const request = { requestDigest: digest, isWanted }
  return { channelId: id, voucher, request, ceiling: usdc(1_000n) } as unknown as ChannelCall
}

const misfit = (channel: Partial<ChannelRecord> = {}, isUsed = false): CallAttempt => ({
  status: 'misfit',
  channel: { ...charged300, ...channel },
  isUsed,
})
const admission = { status: 'settled' } as never
const decided: CallAttempt = { status: 'decided', admission }

type Attempts = {
  /** What each attempt finds; the last one is repeated. */
  readonly attempts: readonly CallAttempt[]
  /** What the ledger answers who takes the turn; the last one is repeated. */
  readonly taken?: readonly (ChannelRecord | undefined)[]
  readonly turnstile?: Partial<Turnstile>
  readonly maxWaiting?: number
  /** Whether the highest voucher of the channel paid for a call. */
  readonly isHighestUsed?: boolean
}

/** Corrects calls with a clock that moves only while they wait. */
function correcting({ attempts, taken = [charged300], isHighestUsed = false, ...rest }: Attempts) {
  let now = start
  let tries = 0
  let takes = 0
  let reads = 0
  const waits: number[] = []
  const turns: ChannelTurn[] = []
  const endedAt: number[] = []
  const published: bigint[] = []
  const timers = {
    after(milliseconds: number, callback: () => void) {
      if (now > start + 100_000) throw new Error('it waits forever')
      now += milliseconds
      waits.push(milliseconds)
      queueMicrotask(callback)
      return () => undefined
    },
  }
  const turnstile = createTurnstile({ timers, maxWaiting: rest.maxWaiting ?? 64 })
  const ports = {
    clock: () => now,
    channelTerms: { policy },
    turnstile: { ...turnstile, ...rest.turnstile },
    oldTurns: new Map(),
    admissions: { corrected: (request: unknown, state: unknown) => ({ request, state }) },
    store: {
      // The row as the next attempt finds it; another one if that attempt decides.
      loadChannel: async () => {
        reads += 1
        const next = attempts[Math.min(tries, attempts.length - 1)]!
        return next.status === 'misfit' ? next.channel : undefined
      },
      unusedBase: async (_: Hex, from: bigint) => from,
      takeTurn: async (_: object, turn: ChannelTurn, at: number) => {
        turns.push(turn)
        endedAt.push(at)
        takes += 1
        return taken[Math.min(takes, taken.length) - 1]
      },
      findCall: async () =>
        isHighestUsed || published.length > 0 ? ({} as PaymentRecord) : undefined,
      publishVoucher: async (_: Hex, from: bigint) => published.push(from),
    },
  } as unknown as ChannelPorts
  const attempt = async (): Promise<CallAttempt> => {
    tries += 1
    return attempts[Math.min(tries, attempts.length) - 1]!
  }
  return {
    waits,
    turns,
    endedAt,
    published,
    passed: () => now - start,
    tries: () => tries,
    reads: () => reads,
    correct: async (call: ChannelCall) => (await correctCall(ports, call, attempt)) as unknown,
  }
}

const standingAt = (base: bigint, voucherState?: object) => ({
  state: expect.objectContaining({
    channelState: expect.objectContaining({ chargedCumulativeAmount: base.toString() }),
    ...(voucherState && { voucherState }),
  }),
})
const own = (max: bigint) => ({ signedMaxClaimable: max.toString(), signature: '0xown' })
const best = { signedMaxClaimable: '1300', signature: '0xbest' }

test('a voucher that fits after all is admitted, and one of an unknown channel reads the chain', async () => {
  expect(await correcting({ attempts: [decided] }).correct(callOf('a', 1n))).toBe(admission)
  const unknown = correcting({ attempts: [{ status: 'no_channel' }] })
  expect(await unknown.correct(callOf('a', 1n))).toEqual({ request: { requestDigest: 'a' } })
  expect(unknown.turns).toEqual([])
})

test('a call is corrected at once while none is awaited, and is awaited itself from then on', async () => {
  const { correct, turns, passed } = correcting({ attempts: [misfit()] })
  expect(await correct(callOf('a', 1_000n))).toEqual(
    expect.objectContaining(standingAt(1_300n, best)),
  )
  expect(turns).toEqual([{ digest: 'a', max: 2_300n, until: start + 2_000 }])
  expect(passed()).toBe(0)
})

const awaited = { digest: 'other', max: usdc(5_000n), until: start + 180 }

test('while another call is awaited only the row is read, and no longer than its turn lasts', async () => {
  const { correct, waits, tries, reads } = correcting({ attempts: [misfit({ turn: awaited })] })
  await correct(callOf('a', 1_000n))
  expect(waits).toEqual([50, 50, 50, 30])
  expect([tries(), reads()]).toEqual([2, 3])
})

test('the more channels wait, the less often each is read', async () => {
  const turnstile = { channels: () => 100 }
  const { correct, waits } = correcting({ attempts: [misfit({ turn: awaited })], turnstile })
  await correct(callOf('a', 1_000n))
  expect(waits).toEqual([100, 80])
})

test('a turn that its call ends early is not waited for any longer', async () => {
  const { correct, passed } = correcting({
    attempts: [misfit({ turn: awaited }), misfit({ turn: { ...awaited, until: start } })],
  })
  await correct(callOf('a', 1_000n))
  expect(passed()).toBe(50)
})

test('a call whose turn began before the clock was set back is not awaited', async () => {
  const turn = { ...awaited, until: start + policy.maxTurnWaitMs + 1 }
  const { correct, passed, endedAt } = correcting({ attempts: [misfit({ turn })] })
  await correct(callOf('a', 1_000n))
  expect(passed()).toBe(0)
  expect(endedAt).toEqual([turn.until])
})

test.each([
  ['its voucher', { ...awaited, digest: 'a' }],
  ['its request', { ...awaited, max: usdc(1_000n) }],
])('a call that shares only the other part with the awaited one waits: not %s', async (_, turn) => {
  const { correct, passed } = correcting({ attempts: [misfit({ turn })] })
  await correct(callOf('a', 1_000n))
  expect(passed()).toBe(180)
})

test('a call that fits while it waits is admitted', async () => {
  const { correct, passed } = correcting({ attempts: [misfit({ turn: awaited }), decided] })
  expect(await correct(callOf('a', 1_000n))).toBe(admission)
  expect(passed()).toBe(50)
})

test('a call whose client has left takes no turn', async () => {
  const { correct, turns, tries } = correcting({ attempts: [misfit()] })
  await correct(callOf('a', 1_000n, () => false))
  expect([tries(), turns]).toEqual([0, []])
})

test('a call whose client leaves while another call is awaited takes no turn', async () => {
  let asked = 0
  const { correct, turns, passed } = correcting({ attempts: [misfit({ turn: awaited })] })
  await correct(callOf('a', 1_000n, () => ++asked < 3))
  expect(turns).toEqual([])
  expect(passed()).toBe(100)
})

test('the awaited call that comes and does not fit has had its turn: after it none is awaited', async () => {
  const turn = { digest: 'a', max: usdc(1_000n), until: start + 2_000 }
  const { correct, turns, passed } = correcting({
    attempts: [misfit({ charged: usdc(1_301n), turn })],
  })
  await correct(callOf('a', 1_000n))
  expect(passed()).toBe(0)
  expect(turns).toEqual([{ digest: 'a', max: 3_301n, until: start }])
})

test('the awaited call waits for calls in flight if it fits once they have cost less', async () => {
  const turn = { digest: 'a', max: usdc(1_000n), until: start + policy.turnMs }
  const { correct, passed } = correcting({
    attempts: [misfit({ turn }), misfit({ turn, version: 2 }), decided],
  })
  expect(await correct(callOf('a', 1_000n))).toBe(admission)
  expect(passed()).toBe(100)
})

test('a call is corrected when it has waited for its longest, even while another call is awaited', async () => {
  // Each time it asks, another call has taken the turn.
  const attempts = Array.from({ length: 500 }, (_, asked) =>
    misfit({ turn: { ...awaited, until: start + asked * 50 + policy.turnMs } }),
  )
  const { correct, passed } = correcting({ attempts, taken: [undefined] })
  expect(await correct(callOf('a', 1_000n))).toMatchObject({ state: {} })
  expect(passed()).toBe(20_000)
})

test('in a crowd a call is corrected at once', async () => {
  const turn = { ...awaited, until: start + policy.turnMs }
  const { correct, passed } = correcting({
    attempts: [misfit({ turn })],
    taken: [undefined],
    maxWaiting: 0,
  })
  expect(await correct(callOf('a', 1_000n))).toMatchObject({ state: {} })
  expect(passed()).toBe(0)
})

test('a call whose turn another replica gave away waits for that, and reads the row again', async () => {
  const { correct, tries, turns, waits } = correcting({
    attempts: [misfit()],
    taken: [undefined, charged300],
  })
  expect(await correct(callOf('a', 1_000n))).toMatchObject({ state: {} })
  expect([tries(), turns.length]).toEqual([2, 2])
  expect(waits).toEqual([1])
})

test.each([
  ['alone', 1, 3_000n, 30_000n, 1_300n],
  ['two calls further on', 2, 1_300n, 30_000n, 3_300n],
  ['as far as is signed by this voucher', 2, 1_300n, 2_500n, 2_500n],
  ['as far as is signed by the highest', 2, 2_400n, 1_000n, 2_400n],
])('in a crowd calls are corrected a little ahead: %s', async (_, waiting, signed, max, base) => {
  const turnstile = { waiting: () => waiting }
  const { correct, turns } = correcting({ attempts: [misfit({ signed: usdc(signed) })], turnstile })
  await correct(callOf('a', max))
  expect(turns[0]?.max).toBe(base + 1_000n)
})

test.each([
  [4_301n, 0n, 3_300n],
  [5_301n, 1_000n, 3_300n],
  [4_300n, 0n, 1_300n],
  [5_300n, 1_000n, 1_300n],
  [2_000n, 0n, 1_300n],
])('and not ahead of what the channel covers: %s less %s', async (deposited, returned, base) => {
  const amounts = { deposited: usdc(deposited), returned: usdc(returned), signed: usdc(30_000n) }
  const { correct, turns } = correcting({
    attempts: [misfit(amounts)],
    turnstile: { waiting: () => 2 },
  })
  await correct(callOf('a', 1_000n))
  expect(turns[0]?.max).toBe(base + 1_000n)
})

test.each([
  ['its own voucher, if it reaches there', 1_300n, {}, false, false, own(1_300n)],
  ['the highest one for a voucher that is unused', 1_299n, {}, false, false, best],
  ['the highest one for a used voucher, too', 1_299n, {}, true, false, best],
  ['the highest one once it has bought', 1_299n, {}, true, true, best],
  ['none that does not reach there', 1_299n, { signed: usdc(1_299n) }, false, false, null],
  ['none where none is known', 1_299n, { signature: null }, false, false, null],
] as const)(
  'the proof of where a channel stands is %s',
  async (_, max, channel, isUsed, isHighestUsed, proof) => {
    const { correct } = correcting({ attempts: [misfit(channel, isUsed)], isHighestUsed })
    const { state } = (await correct(callOf('a', max))) as { state?: { voucherState?: object } }
    expect(state?.voucherState ?? null).toEqual(proof)
  },
)

test.each([
  ['is shown for a used voucher', 1_299n, true, false, [1_300n]],
  ['has bought a call', 1_299n, true, true, []],
  ['is shown for an unused voucher', 1_299n, false, false, []],
  ['is not shown', 1_300n, true, false, []],
] as const)(
  'the highest voucher buys no call from the time when it may be public: one that %s',
  async (_, max, isUsed, isHighestUsed, sums) => {
    const { correct, published } = correcting({ attempts: [misfit({}, isUsed)], isHighestUsed })
    await correct(callOf('a', max))
    expect(published).toEqual(sums)
  },
)
