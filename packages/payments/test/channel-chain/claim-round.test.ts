import type { ChannelRecord } from '@farebox/ledger'
import { channelPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import type { ChannelOnChain } from '../../src/channel-chain/channel-chain.ts'
import { claimRound, claimWithdrawing, release } from '../../src/channel-chain/claim-round.ts'
import {
  channelIdOf,
  channelRecord,
  channelWorld,
  numberedId,
  start,
} from '../support/channel-world.ts'
import { usdc } from '../support/pay.ts'

const hour = 3_600_000
const rules = channelPolicy({
  withdrawDelaySeconds: 900,
  maxUnclaimedTotal: usdc(20_000n),
  claimAbove: usdc(8_000n),
  minClaim: usdc(2_000n),
  claimAfterMs: 24 * hour,
  claimBatchSize: 2,
})
const escrow: ChannelOnChain = {
  balance: 96_000n,
  totalClaimed: 4_000n,
  withdrawalSince: null,
  refundNonce: 0n,
}
const channel = (name: number, claimable: bigint, changes: Partial<ChannelRecord> = {}) =>
  channelRecord({
    id: channelIdOf(name),
    claimed: usdc(0n),
    charged: usdc(claimable),
    signed: usdc(claimable),
    unclaimedSince: start - name,
    ...changes,
  })

test('a channel is claimed once its charges are worth the gas, to the unit', async () => {
  const { ports, sent } = channelWorld([channel(1, 8_000n), channel(2, 8_001n)], { rules })
  const roomy = { ...ports, rules: { ...rules, maxUnclaimedTotal: usdc(10n ** 9n) } }
  expect(await claimRound(roomy)).toEqual({ claimed: 1, refused: 0, waiting: 0 })
  expect(sent).toEqual([[channelIdOf(2)]])
})

test.each([
  [2_499n, 2_501n, 0],
  [2_500n, 2_501n, 2],
] as const)(
  'at a quarter of the limit of all, with %d and %d to claim, whatever is worth its gas is claimed',
  async (first, second, claimed) => {
    const { ports } = channelWorld([channel(1, first), channel(2, second)], { rules })
    expect((await claimRound(ports)).claimed).toBe(claimed)
  },
)

test('calls in flight count towards the limit of all', async () => {
  const busy = channel(2, 2_501n, { reserved: usdc(1n), signed: usdc(2_502n) })
  const { ports } = channelWorld([channel(1, 2_499n), busy], { rules })
  expect((await claimRound(ports)).claimed).toBe(2)
})

test('charges that have waited for a day are claimed, to the millisecond, however small', async () => {
  const since = { unclaimedSince: start - 24 * hour }
  const late = { unclaimedSince: start - 24 * hour + 1 }
  const { ports, sent } = channelWorld([channel(1, 1n, since), channel(2, 1n, late)], { rules })
  expect((await claimRound(ports)).claimed).toBe(1)
  expect(sent).toEqual([[channelIdOf(1)]])
})

test('a round claims in batches until one is not full', async () => {
  const three = [1, 2, 3].map((name) => channel(name, 8_001n))
  const odd = channelWorld(three, { rules })
  expect((await claimRound(odd.ports)).claimed).toBe(3)
  expect(odd.sent.map((rows) => rows.length)).toEqual([2, 1])
})

test('a round ends with its tenth batch, and with the first that is not full', async () => {
  const { ports } = channelWorld([], { rules: { ...rules, claimBatchSize: 1 } })
  const leased: number[] = []
  const leaseChannels = async () => {
    leased.push(leased.length)
    return [channel(1, 8_001n, { config: { ...channel(1, 0n).config, receiverAuthorizer: '0x' } })]
  }
  await claimRound({ ...ports, store: { ...ports.store, leaseChannels } })
  expect(leased).toHaveLength(10)
  leased.length = 0
  const room = { ...rules, claimBatchSize: 2 }
  await claimRound({ ...ports, rules: room, store: { ...ports.store, leaseChannels } })
  expect(leased).toHaveLength(1)
})

test('a channel that is claimed from is leased to this replica for a minute', async () => {
  const { world, ports, channelNow } = channelWorld([channel(1, 8_001n)], { rules })
  world.sends = 'pending'
  expect(await claimRound(ports)).toEqual({ claimed: 0, refused: 0, waiting: 1 })
  expect((await channelNow()).lease).toEqual({ owner: 'replica', until: start + 60_000 })
  expect(await claimRound(ports)).toEqual({ claimed: 0, refused: 0, waiting: 0 })
  await release(ports, { id: channelIdOf(1) })
  expect((await channelNow()).lease).toEqual({ owner: 'replica', until: start })
})

test('channels with a pending withdrawal are claimed from alone, and released', async () => {
  const pending = { withdrawAt: 1_900 }
  const { world, ports, sent, channelNow } = channelWorld(
    [channel(1, 1n, pending), channel(2, 1n, pending), channel(3, 1n)],
    { rules },
  )
  world.states.set(channelIdOf(1), { ...escrow, totalClaimed: 0n, withdrawalSince: 1_000 })
  expect(await claimWithdrawing(ports, world.head)).toEqual({ claimed: 2, refused: 0, waiting: 0 })
  expect(sent).toEqual([[channelIdOf(1)], [channelIdOf(2)]])
  expect((await channelNow()).lease?.until).toBe(start)
  expect(await channelNow()).toMatchObject({ withdrawAt: 1_900 })
})

test('a withdrawal that is no longer pending is noted before the claim', async () => {
  const { world, ports, channelNow } = channelWorld([channel(1, 1n, { withdrawAt: 1_900 })])
  world.states.set(channelIdOf(1), { ...escrow, totalClaimed: 0n })
  await claimWithdrawing(ports, world.head)
  expect(await channelNow()).toMatchObject({ withdrawAt: null })
})

test('a thousand pending withdrawals with nothing to claim keep no other from being answered', async () => {
  const claimed = { claimed: usdc(1n), unclaimedSince: null }
  const decoys = Array.from({ length: 1_000 }, (_, index) =>
    channel(1, 1n, { id: numberedId(index), ...claimed, withdrawAt: 1_900 }),
  )
  const last = channel(2, 5_000n, { withdrawAt: 1_901 })
  const { world, ports, sent } = channelWorld([...decoys, last], { rules })
  for (const { id } of [...decoys, last]) {
    world.states.set(id, { ...escrow, totalClaimed: 0n, withdrawalSince: 1_000 })
  }
  await claimWithdrawing(ports, world.head)
  expect(sent).toEqual([[last.id]])
})

test('a withdrawal is looked up at the block that was watched, of which a node that is behind knows nothing', async () => {
  const { world, ports, sent, notices, channelNow } = channelWorld(
    [channel(1, 1n, { withdrawAt: 1_900 })],
    { rules },
  )
  const behind = async (_: readonly string[], block = 99) => {
    if (block > 99) throw new Error('unknown block')
    return [{ ...escrow, totalClaimed: 0n }]
  }
  const chain = { ...ports.channelChain, channels: behind }
  await claimWithdrawing({ ...ports, channelChain: chain }, world.head)
  expect(await channelNow()).toMatchObject({ withdrawAt: 1_900 })
  expect(sent).toEqual([[channelIdOf(1)]])
  expect(notices).toMatchObject([{ type: 'fault', error: new Error('unknown block') }])
})
