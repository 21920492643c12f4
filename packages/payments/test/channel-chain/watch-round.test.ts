import { type ChannelRecord, channelAmounts, type LedgerStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/chain/log-place.ts'
import { applyLog } from '../../src/channel-chain/apply-log.ts'
import type { ChannelOnChain } from '../../src/channel-chain/channel-chain.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import { applyState, createWatchRound } from '../../src/channel-chain/watch-round.ts'
import {
  channelIdOf,
  channelRecord,
  channelWorld,
  numberedId,
  proofAt,
} from '../support/channel-world.ts'
import { network, usdc } from '../support/pay.ts'

const channelId = channelIdOf(1)
const minute = 60_000
const escrow: ChannelOnChain = {
  balance: 96_000n,
  totalClaimed: 4_000n,
  withdrawalSince: null,
  refundNonce: 0n,
}

const deposited = (block: number, amount = 5_000n, id = channelId): ChannelLog => ({
  type: 'deposited',
  channelId: id,
  amount: usdc(amount),
  proof: proofAt(block),
})

const claimed = (block: number, amount = 1_000n): ChannelLog => ({
  type: 'claimed',
  channelId,
  amount: usdc(amount),
  total: usdc(4_000n + amount),
  proof: proofAt(block),
})

test.each<readonly [string, readonly Partial<ChannelRecord>[], number, readonly [number, number]]>([
  ['with the present without channels', [], 100, [101, 100]],
  ['where the channel was last seen', [{ seenBlock: 80 }], 100, [70, 100]],
  ['with the first block of a young chain', [{ seenBlock: 9 }], 100, [0, 100]],
  [
    'with the channel that was seen the longest ago',
    [{ seenBlock: 90 }, { seenBlock: 80 }],
    100,
    [70, 100],
  ],
  [
    'where open channels were seen, whatever the closed ones say',
    [{ seenBlock: 90 }, { seenBlock: 30, status: 'closed' }],
    100,
    [80, 100],
  ],
  [
    'with the latest of closed channels alone',
    [
      { seenBlock: 80, status: 'closed' },
      { seenBlock: 90, status: 'closed' },
    ],
    100,
    [80, 100],
  ],
])('the first round begins %s', async (_, changes, head, [fromBlock, toBlock]) => {
  const channels = changes.map((change, index) =>
    channelRecord({ id: channelIdOf(index + 1), ...change }),
  )
  const { world, ports, reads } = channelWorld(channels)
  world.head = head
  expect(await createWatchRound(ports)()).toMatchObject({ number: head })
  expect(reads).toEqual([{ fromBlock, toBlock }])
})

test('each round reads what a reorganization may replace again, and nothing before the first', async () => {
  const { world, ports, reads } = channelWorld([channelRecord({ seenBlock: 95 })])
  const watch = createWatchRound(ports)
  for (const head of [100, 104, 130, 128]) {
    world.head = head
    await watch()
  }
  expect(reads).toEqual([
    { fromBlock: 85, toBlock: 100 },
    { fromBlock: 91, toBlock: 104 },
    { fromBlock: 95, toBlock: 130 },
    { fromBlock: 119, toBlock: 128 },
  ])
})

test('what is new is booked once, up to the head', async () => {
  const { world, ports, channelNow } = channelWorld([channelRecord()])
  const watch = createWatchRound(ports)
  world.logs = [deposited(100), deposited(101)]
  await watch()
  await watch()
  expect(await channelNow()).toMatchObject({ deposited: 105_000n })
  world.head = 101
  await watch()
  expect(await channelNow()).toMatchObject({ deposited: 110_000n })
})

test('what has vanished is taken back, in the latest block too', async () => {
  const { world, ports, store, channelNow } = channelWorld([
    channelRecord({ deposited: usdc(0n), charged: usdc(0n), claimed: usdc(0n) }),
  ])
  const watch = createWatchRound(ports)
  const refund = { type: 'refunded', channelId, amount: usdc(5_000n), proof: proofAt(100) } as const
  world.logs = [deposited(99), refund]
  await watch()
  expect(await channelNow()).toMatchObject({ deposited: 5_000n, returned: 5_000n })
  for (const { proof } of world.logs) world.gone.add(placeOf(proof))
  await watch()
  expect(await channelNow()).toMatchObject({ deposited: 0n, returned: 0n })
  expect(await store.channelMovements({ chainId: network.chainId, fromBlock: 0 })).toEqual([])
})

test('what a node that is behind does not show is kept, and so is what lies above its head', async () => {
  const { world, ports, channelNow } = channelWorld([channelRecord()])
  const watch = createWatchRound(ports)
  const log = deposited(100)
  world.logs = [log]
  await watch()
  world.logs = []
  await watch()
  world.head = 99
  world.gone.add(placeOf(log.proof))
  await watch()
  expect(await channelNow()).toMatchObject({ deposited: 105_000n })
})

test('up to where the logs were read is stored every ten minutes, for channels that sell', async () => {
  const { world, ports, channelNow } = channelWorld([
    channelRecord({ seenBlock: 99 }),
    channelRecord({ id: channelIdOf(2), seenBlock: 99, status: 'closed' }),
    channelRecord({ id: channelIdOf(3), seenBlock: 100 }),
    channelRecord({ id: channelIdOf(4), seenBlock: 105 }),
  ])
  const watch = createWatchRound(ports)
  const seen = async () => {
    await watch()
    const channels = await Promise.all([1, 2, 3, 4].map((name) => channelNow(channelIdOf(name))))
    return channels.map(({ seenBlock, version }) => [seenBlock, version])
  }
  const first = [
    [100, 2],
    [99, 1],
    [100, 1],
    [105, 1],
  ]
  expect(await seen()).toEqual(first)
  world.head = 101
  world.now += 10 * minute - 1
  expect(await seen()).toEqual(first)
  world.now += 1
  expect(await seen()).toEqual([
    [101, 3],
    [99, 1],
    [101, 2],
    [105, 1],
  ])
})

test('a channel that another replica has read further, or that is gone, is left as it is', async () => {
  const { ports, store, channelNow } = channelWorld([
    channelRecord({ seenBlock: 100 }),
    channelRecord({ id: channelIdOf(3), seenBlock: 95 }),
  ])
  async function* exported() {
    yield channelRecord({ seenBlock: 95 })
    yield channelRecord({ id: channelIdOf(2), seenBlock: 95 })
    yield* store.exportChannels()
  }
  await createWatchRound({ ...ports, store: { ...store, exportChannels: exported } })()
  expect(await channelNow()).toMatchObject({ seenBlock: 100, version: 1 })
  expect(await channelNow(channelIdOf(3))).toMatchObject({ seenBlock: 100, version: 2 })
})

const announced = {
  type: 'withdraw_announced',
  channelId,
  withdrawAt: 5,
  proof: proofAt(100),
} as const

test('an announced withdrawal is read from the contract, and announced once', async () => {
  const { world, ports, notices, channelNow } = channelWorld([channelRecord()])
  const watch = createWatchRound(ports)
  world.logs = [announced]
  await watch()
  expect(await channelNow()).toMatchObject({ withdrawAt: null })
  world.states.set(channelId, { ...escrow, withdrawalSince: 1_000 })
  await watch()
  await watch()
  expect(await channelNow()).toMatchObject({ withdrawAt: 1_900 })
  expect(notices).toMatchObject([{ type: 'channel_withdrawal', channel: { withdrawAt: 1_900 } }])
  world.states.set(channelId, escrow)
  await watch()
  expect(await channelNow()).toMatchObject({ withdrawAt: null })
  expect(notices).toHaveLength(1)
})

test('no channel is read for a claim, and none that is unknown', async () => {
  const { world, ports, channelNow } = channelWorld([channelRecord()])
  world.logs = [claimed(100), { ...announced, channelId: channelIdOf(2) }]
  const read: string[] = []
  const channels = async (ids: readonly string[]) => {
    read.push(...ids)
    return []
  }
  await createWatchRound({ ...ports, channelChain: { ...ports.channelChain, channels } })()
  expect(read).toEqual([])
  expect(await channelNow()).toMatchObject({ withdrawAt: null, claimed: 5_000n })
})

test('the channels of strangers are looked up fifty at a time', async () => {
  const { world, ports, store } = channelWorld([channelRecord()])
  world.logs = Array.from({ length: 200 }, (_, index) => ({
    ...announced,
    channelId: numberedId(index),
  }))
  let [running, most, all] = [0, 0, 0]
  const loadChannel: LedgerStore['loadChannel'] = async (id) => {
    all += 1
    running += 1
    most = Math.max(most, running)
    const channel = await store.loadChannel(id)
    running -= 1
    return channel
  }
  await createWatchRound({ ...ports, store: { ...store, loadChannel } })()
  expect([all, most]).toEqual([200, 50])
})

test('refunds that moved nothing before a deposit are booked with it, and closings look for themselves', async () => {
  const { world, ports, channelNow } = channelWorld([
    channelRecord(),
    channelRecord({ id: channelIdOf(2), status: 'closing' }),
  ])
  for (const name of [1, 2]) {
    world.states.set(channelIdOf(name), { ...escrow, refundNonce: 2n })
  }
  world.logs = [deposited(100), deposited(99, 5_000n, channelIdOf(2))]
  await createWatchRound(ports)()
  expect(await channelNow()).toMatchObject({ status: 'open', refundNonce: 2n })
  expect(await channelNow(channelIdOf(2))).toMatchObject({ status: 'closing', refundNonce: 0n })
})

const refund = {
  type: 'refunded',
  channelId,
  amount: usdc(96_000n),
  proof: proofAt(99),
} as const

test.each<readonly [string, ChannelLog, ChannelLog, Partial<ChannelRecord>]>([
  ['a claim in place of a refund', refund, claimed(100, 6_000n), { claimed: usdc(10_000n) }],
  [
    'a refund in place of a claim',
    claimed(99, 6_000n),
    { ...refund, proof: proofAt(100) },
    { returned: usdc(96_000n) },
  ],
  [
    'a withdrawal in place of a claim',
    claimed(99, 6_000n),
    { ...refund, type: 'withdrawn', proof: proofAt(100) },
    { returned: usdc(96_000n) },
  ],
])('%s is booked once that is taken back', async (_, vanished, replacing, booked) => {
  const { world, ports, channelNow } = channelWorld([channelRecord()])
  world.states.set(channelId, escrow)
  const watch = createWatchRound(ports)
  world.logs = [vanished]
  await watch()
  const before = await channelNow()
  // The logs are those of a node that knows the new block, and the block that of one that does not.
  world.logs = [replacing]
  await watch()
  expect(await channelNow()).toEqual(before)
  expect(channelAmounts(before).refundable).toBeGreaterThanOrEqual(0n)
  world.gone.add(placeOf(vanished.proof))
  await watch()
  const amounts = { claimed: 4_000n, returned: 0n }
  expect(await channelNow()).toMatchObject({ ...amounts, ...booked })
})

const replacing = { ...refund, proof: proofAt(100) } as const

test.each<readonly [string, ChannelLog]>([
  ['a refund', refund],
  ['a withdrawal', { ...refund, type: 'withdrawn' }],
  ['a claim', claimed(99, 6_000n)],
])('%s is not booked if a refund takes its place while its write waits', async (_, late) => {
  const { world, ports, store, notices, channelNow } = channelWorld([channelRecord()])
  world.states.set(channelId, { ...escrow, refundNonce: 1n })
  world.logs = [late]
  const applyToChannel: LedgerStore['applyToChannel'] = async (channel, event) => {
    world.logs = [replacing]
    await createWatchRound(ports)()
    return await store.applyToChannel(channel, event)
  }
  await createWatchRound({ ...ports, store: { ...store, applyToChannel } })()
  expect(await channelNow()).toMatchObject({
    status: 'open',
    returned: 96_000n,
    claimed: 4_000n,
    refundNonce: 1n,
  })
  expect(notices.map(({ type }) => type)).toEqual(['channel_closed'])
})

test('a refund in place of one whose write came first is booked by the next round', async () => {
  const { world, ports, store, notices, channelNow } = channelWorld([channelRecord()])
  world.states.set(channelId, { ...escrow, refundNonce: 1n })
  world.logs = [replacing]
  const applyToChannel: LedgerStore['applyToChannel'] = async (channel, event) => {
    await applyLog(ports, refund)
    return await store.applyToChannel(channel, event)
  }
  await createWatchRound({ ...ports, store: { ...store, applyToChannel } })()
  expect(await channelNow()).toMatchObject({ returned: 96_000n, refundNonce: 1n })
  world.gone.add(placeOf(refund.proof))
  await createWatchRound(ports)()
  const search = { chainId: network.chainId, fromBlock: 0 }
  expect(await store.channelMovements(search)).toMatchObject([{ proof: replacing.proof }])
  expect(await channelNow()).toMatchObject({ returned: 96_000n, refundNonce: 1n })
  expect(notices.map(({ type }) => type)).not.toContain('channel_frozen')
})

test.each<readonly [string, readonly ChannelLog[], number]>([
  ['is final', [refund], 108],
  ['is of another channel', [{ ...refund, channelId: channelIdOf(2) }], 100],
  ['is a deposit', [deposited(99, 1_000n)], 100],
  ['leaves just as much', [claimed(98, 1_000n), { ...refund, amount: usdc(90_000n) }], 100],
])('a claim does not wait for a movement that %s', async (_, standing, head) => {
  const { world, ports, channelNow } = channelWorld([
    channelRecord({ deposited: usdc(100_000n), charged: usdc(104_000n) }),
    channelRecord({ id: channelIdOf(2) }),
  ])
  for (const name of [1, 2]) world.states.set(channelIdOf(name), escrow)
  const watch = createWatchRound(ports)
  world.logs = [...standing]
  await watch()
  const { deposited: paid, returned, claimed: known } = await channelNow()
  world.head = head
  const rest = paid - returned - known
  const amount = standing.length > 1 ? rest : rest + 1n
  world.logs = [...standing, claimed(100, amount)]
  await watch()
  expect((await channelNow()).claimed).toBe(known + amount)
})

test('a withdrawal whose execution vanished is read again', async () => {
  const { world, ports, channelNow } = channelWorld([channelRecord()])
  const watch = createWatchRound(ports)
  const settled = { type: 'settled', receiver: ports.treasury, token: network.usdc } as const
  world.logs = [
    { type: 'withdrawn', channelId, amount: usdc(5_000n), proof: proofAt(99) },
    { ...settled, amount: usdc(1_000n), proof: proofAt(100) },
  ]
  world.states.set(channelId, escrow)
  await watch()
  for (const { proof } of world.logs) world.gone.add(placeOf(proof))
  world.states.set(channelId, { ...escrow, withdrawalSince: 1_000 })
  await watch()
  expect(await channelNow()).toMatchObject({ returned: 0n, withdrawAt: 1_900 })
})

test('a channel is frozen when more was claimed than is charged now, by a unit', async () => {
  const { ports, notices, channelNow, disk } = channelWorld([channelRecord()])
  const channel = channelRecord()
  await applyState(ports, channel, { ...escrow, totalClaimed: 10_000n })
  await applyState(ports, channelRecord({ id: channelIdOf(2) }), {
    ...escrow,
    totalClaimed: 10_001n,
  })
  // Charged since the channel was read.
  disk.commit({ channels: [channelRecord({ charged: usdc(10_001n) })] })
  await applyState(ports, channel, { ...escrow, totalClaimed: 10_001n })
  expect([await channelNow(), notices]).toMatchObject([{ status: 'open' }, []])
  await applyState(ports, channel, { ...escrow, totalClaimed: 10_002n })
  expect(await channelNow()).toMatchObject({ status: 'frozen', reason: 'claimed_beyond_ledger' })
})
