import type { ChannelConfig, ChannelMovement, Hex, LedgerStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/chain/log-place.ts'
import { applyLog, freezeChannel, takeBack } from '../../src/channel-chain/apply-log.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import {
  channelIdOf,
  channelRecord,
  channelWorld,
  ourConfig,
  proofAt,
  start,
  treasury,
} from '../support/channel-world.ts'
import { network, usdc } from '../support/pay.ts'

const channelId = channelIdOf(1)
const proof = proofAt(101)
const stranger: Hex = `0x${'c'.repeat(40)}`

const claimed = (amount: bigint, total: bigint): ChannelLog => ({
  type: 'claimed',
  channelId,
  amount: usdc(amount),
  total: usdc(total),
  proof,
})
const moved = (type: 'deposited' | 'refunded' | 'withdrawn', amount: bigint): ChannelLog => ({
  type,
  channelId,
  amount: usdc(amount),
  proof,
})

async function recordedBy(store: LedgerStore): Promise<readonly ChannelMovement[]> {
  return await store.channelMovements({ chainId: network.chainId, fromBlock: 0 })
}

test('a payment of claims to the treasury is booked once, and no other', async () => {
  const { ports, store } = channelWorld([])
  const amount = usdc(5_000n)
  const settled = {
    type: 'settled',
    receiver: treasury,
    token: network.usdc,
    amount,
    proof,
  } as const
  await applyLog(ports, { ...settled, receiver: stranger })
  await applyLog(ports, { ...settled, token: stranger })
  expect(await recordedBy(store)).toEqual([])
  await applyLog(ports, settled)
  await applyLog(ports, settled)
  expect(await recordedBy(store)).toMatchObject([{ kind: 'settle', amount, proof, at: start }])
})

test('a channel that its payer opens without us is ours, with its block', async () => {
  const { ports, store } = channelWorld([])
  await applyLog(ports, { type: 'created', channelId, config: ourConfig, proof })
  expect(await store.loadChannel(channelId)).toMatchObject({
    status: 'opening',
    config: ourConfig,
    seenBlock: 101,
    createdAt: start,
  })
})

test.each<readonly [string, Partial<ChannelConfig>]>([
  ['pays another account', { receiver: stranger }],
  ['is decided on by another key', { receiverAuthorizer: stranger }],
  ['is in another token', { token: stranger }],
  ['can be emptied sooner', { withdrawDelay: 899 }],
  ['has no key for its vouchers', { payerAuthorizer: `0x${'0'.repeat(40)}` }],
  ['is paid for by the treasury', { payer: treasury }],
])('a channel that %s is not ours, nor are its logs', async (_, config) => {
  const { ports, store } = channelWorld([])
  await applyLog(ports, { type: 'created', channelId, config: { ...ourConfig, ...config }, proof })
  await applyLog(ports, moved('deposited', 5_000n))
  expect(await store.loadChannel(channelId)).toBeUndefined()
})

const { transaction } = proof
const returned = { amount: 5_000n, transaction, channel: { returned: 5_000n } }
const { payer } = ourConfig

test.each<
  readonly [
    ChannelLog,
    Partial<Record<'deposited' | 'claimed' | 'returned', bigint>>,
    readonly object[],
  ]
>([
  [
    moved('deposited', 5_000n),
    { deposited: 105_000n },
    [{ type: 'channel_deposited', channelId, payer, amount: 5_000n, transaction }],
  ],
  [claimed(6_000n, 10_000n), { claimed: 10_000n }, []],
  [claimed(1_000n, 5_000n), { claimed: 5_000n }, []],
  [
    moved('refunded', 5_000n),
    { returned: 5_000n },
    [{ ...returned, type: 'channel_returned', by: 'refund' }],
  ],
  [
    moved('withdrawn', 5_000n),
    { returned: 5_000n },
    [{ ...returned, type: 'channel_returned', by: 'withdrawal' }],
  ],
])(
  'what the contract moved is booked and reported once: $type',
  async (log, expected, reported) => {
    const { ports, notices, channelNow } = channelWorld([channelRecord()])
    await applyLog(ports, log)
    await applyLog(ports, log)
    expect(await channelNow()).toMatchObject({ status: 'open', version: 2, ...expected })
    expect(notices).toMatchObject(reported)
  },
)

test.each([
  ['refunded', 90_000n, 'channel_closed'],
  ['refunded', 89_999n, 'channel_returned'],
  ['withdrawn', 90_000n, 'channel_closed'],
  ['withdrawn', 89_999n, 'channel_returned'],
] as const)(
  'a channel with 90,000 left of which %s %d is reported as %s',
  async (type, amount, reported) => {
    const { ports, notices } = channelWorld([channelRecord()])
    await applyLog(ports, moved(type, amount))
    expect(notices).toMatchObject([{ type: reported, amount, channel: { charged: 10_000n } }])
  },
)

test('a withdrawal of nothing moves nothing', async () => {
  const { ports, store, notices, channelNow } = channelWorld([channelRecord()])
  await applyLog(ports, moved('withdrawn', 0n))
  expect([await channelNow(), await recordedBy(store), notices]).toEqual([channelRecord(), [], []])
})

test('a claim of a unit more than was charged freezes its channel, and is not booked', async () => {
  const { ports, notices, channelNow } = channelWorld([channelRecord()])
  await applyLog(ports, claimed(6_001n, 10_001n))
  const frozen = { status: 'frozen', reason: 'claimed_beyond_ledger', claimed: 4_000n }
  expect(await channelNow()).toMatchObject(frozen)
  expect(notices).toMatchObject([{ type: 'channel_frozen', channel: frozen }])
  await applyLog(ports, claimed(6_001n, 10_001n))
  expect(notices).toHaveLength(1)
})

test('a claim on top of one that vanished and is still booked waits', async () => {
  const { ports, notices, channelNow } = channelWorld([channelRecord()])
  await applyLog(ports, claimed(6_001n, 6_001n))
  expect(await channelNow()).toEqual(channelRecord())
  expect(notices).toEqual([])
})

test('a log that contradicts the ledger is reported, and freezes its channel', async () => {
  const { ports, notices, channelNow } = channelWorld([channelRecord()])
  await applyLog(ports, moved('deposited', 0n))
  expect(await channelNow()).toMatchObject({ status: 'frozen', reason: 'log_contradicts_ledger' })
  expect(notices.map(({ type }) => type)).toEqual(['fault', 'channel_frozen'])
})

test('a log that contradicts the ledger and has vanished freezes nothing', async () => {
  const { world, ports, notices, channelNow } = channelWorld([channelRecord()])
  world.gone.add(placeOf(proof))
  await applyLog(ports, moved('deposited', 0n))
  expect(await channelNow()).toEqual(channelRecord())
  expect(notices).toEqual([])
})

test('a channel that another replica changed meanwhile is looked at again, not frozen', async () => {
  const { ports, store, notices, channelNow } = channelWorld([channelRecord()])
  const loadChannel = async (id: Hex) => {
    const read = await store.loadChannel(id)
    return read && { ...read, version: read.version - 1 }
  }
  let looks = 0
  await applyLog(
    {
      ...ports,
      store: {
        ...store,
        loadChannel: (id) => {
          looks += 1
          return looks === 1 ? loadChannel(id) : store.loadChannel(id)
        },
      },
    },
    moved('deposited', 0n),
  )
  expect([(await channelNow()).status, notices]).toEqual(['open', []])
})

test('a store that fails freezes nothing', async () => {
  const { ports, store, channelNow } = channelWorld([channelRecord()])
  const applyToChannel: LedgerStore['applyToChannel'] = async (channel, event) => {
    if (event.type === 'deposit_proven') throw new Error('the disk is full')
    return await store.applyToChannel(channel, event)
  }
  const failing = { ...ports, store: { ...store, applyToChannel } }
  await expect(applyLog(failing, moved('deposited', 5_000n))).rejects.toThrow('the disk is full')
  expect(await channelNow()).toEqual(channelRecord())
})

test('a channel is frozen once, and one that is unknown never', async () => {
  const { ports, notices, channelNow } = channelWorld([channelRecord()])
  await freezeChannel(ports, { id: channelIdOf(2) }, 'claim_reverts')
  await freezeChannel(ports, { id: channelId }, 'claim_reverts')
  await freezeChannel(ports, { id: channelId }, 'claimed_beyond_ledger')
  expect(await channelNow()).toMatchObject({ status: 'frozen', reason: 'claim_reverts' })
  expect(notices).toHaveLength(1)
})

test.each<readonly [ChannelLog, Partial<ReturnType<typeof channelRecord>>]>([
  [moved('deposited', 5_000n), {}],
  [claimed(6_000n, 10_000n), {}],
  [moved('refunded', 5_000n), { status: 'closing' }],
  [moved('withdrawn', 5_000n), { withdrawAt: start / 1000 }],
])('what vanished is taken back, and reported: $type', async (log, left) => {
  const before = channelRecord()
  const { ports, store, notices, channelNow } = channelWorld([before])
  await applyLog(ports, log)
  for (const movement of await recordedBy(store)) await takeBack(ports, movement)
  expect(await channelNow()).toEqual({ ...before, ...left, version: 3 })
  expect(await recordedBy(store)).toEqual([])
  const reported = notices.filter(({ type }) => type === 'channel_movement_lost')
  expect(reported).toMatchObject([{ amount: 'amount' in log && log.amount, transaction }])
})

test('a payment to the treasury that vanished is taken back', async () => {
  const { ports, store } = channelWorld([])
  const amount = usdc(5_000n)
  await applyLog(ports, { type: 'settled', receiver: treasury, token: network.usdc, amount, proof })
  for (const movement of await recordedBy(store)) await takeBack(ports, movement)
  expect(await recordedBy(store)).toEqual([])
})

test('the loss of more than a channel has freezes it, and that of an unknown channel nothing', async () => {
  const { world, ports, store, disk, channelNow } = channelWorld([channelRecord()])
  await applyLog(ports, moved('deposited', 5_000n))
  world.gone.add(placeOf(proof))
  const [movement] = await recordedBy(store)
  await takeBack(ports, { ...movement!, channelId: channelIdOf(2) })
  expect(await channelNow()).toMatchObject({ status: 'open' })
  disk.commit({ channels: [channelRecord({ deposited: usdc(4_999n) })] })
  await takeBack(ports, movement!)
  expect(await channelNow()).toMatchObject({ status: 'frozen', reason: 'log_contradicts_ledger' })
})
