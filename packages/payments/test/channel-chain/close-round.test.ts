import type { ChannelRecord } from '@farebox/ledger'
import { channelPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import type { ChannelOnChain } from '../../src/channel-chain/channel-chain.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import type { ChannelRoundPorts } from '../../src/channel-chain/channel-round-ports.ts'
import { closeNow, closeRound } from '../../src/channel-chain/close-round.ts'
import { createGasBudget } from '../../src/policy/gas-budget.ts'
import {
  channelIdOf,
  channelRecord,
  channelWorld,
  numberedId,
  ourConfig,
  proofAt,
  start,
  treasury,
} from '../support/channel-world.ts'
import { usdc } from '../support/pay.ts'

const day = 24 * 3_600_000
const channelId = channelIdOf(1)
const rules = channelPolicy({ withdrawDelaySeconds: 900, idleMs: 7 * day, idleRestOfGas: 10n })
const escrow: ChannelOnChain = {
  balance: 96_000n,
  totalClaimed: 4_000n,
  withdrawalSince: null,
  refundNonce: 0n,
}
const closing = (changes: Partial<ChannelRecord> = {}) =>
  channelRecord({ status: 'closing', ...changes })

/** A ledger with these channels, of which the contract holds what was deposited. */
function escrowed(channels: readonly ChannelRecord[], changes: Partial<ChannelRoundPorts> = {}) {
  const made = channelWorld(channels, { rules, ...changes })
  for (const { id } of channels) made.world.states.set(id, escrow)
  return made
}

test.each([
  ['is closed', {}, 'closing'],
  ['was used a millisecond ago stays', { lastCallAt: start - 7 * day + 1 }, 'open'],
  ['is not worth its gas stays', { deposited: usdc(20_000n) }, 'open'],
] as const)('a channel that has been idle for a week and %s', async (_, changes, status) => {
  const channel = channelRecord({ lastCallAt: start - 7 * day, ...changes })
  const { world, ports, channelNow } = escrowed([channel])
  world.sends = 'unavailable'
  expect(await closeRound(ports)).toBe(0)
  expect(await channelNow()).toMatchObject({ status })
})

test('an idle channel is marked and closed in one round', async () => {
  const idle = channelRecord({ lastCallAt: start - 7 * day })
  const { ports, sent, refunds, gas, notices } = escrowed([idle])
  expect(await closeRound(ports)).toBe(1)
  expect(notices).toMatchObject([
    { type: 'channel_closing', channel: { id: channelId }, reason: 'idle' },
  ])
  expect(sent).toEqual([[channelId]])
  expect(refunds).toEqual([{ channelId, nonce: 0n, amount: 86_000n }])
  expect(gas).toEqual([130_000n])
})

test.each([
  [10_002n, 2n],
  [10_001n, 1n],
  [10_000n, 1n],
  [9_000n, 1n],
] as const)('of a balance of %d, with 10,000 charged, %d is returned', async (balance, amount) => {
  const { world, ports, refunds } = escrowed([closing()])
  world.states.set(channelId, { ...escrow, balance })
  expect(await closeRound(ports)).toBe(1)
  expect(refunds).toEqual([{ channelId, nonce: 0n, amount }])
})

test('a channel with nothing to claim is closed without a claim', async () => {
  const signClaims = async () => Promise.reject(new Error('nothing to claim'))
  const made = escrowed([closing({ claimed: usdc(10_000n) })])
  const ports = { ...made.ports, authorizer: { ...made.ports.authorizer, signClaims } }
  made.world.states.set(channelId, { ...escrow, totalClaimed: 10_000n })
  expect(await closeRound(ports)).toBe(1)
})

test('sixty closings whose payees cannot be paid keep no other from being closed', async () => {
  const stuck = Array.from({ length: 60 }, (_, index) => closing({ id: numberedId(index) }))
  const last = closing({ lastCallAt: start + 1 })
  const { world, ports, sent } = escrowed([...stuck, last])
  for (const { id } of stuck) world.unpayable.add(id)
  for (let round = 0; round < 4; round += 1) {
    await closeRound(ports)
    world.now += 20_000
  }
  expect(sent).toEqual([[last.id]])
})

test('several are closed together, without those whose payee cannot be paid', async () => {
  const { world, ports, sent, gas } = escrowed(
    [1, 2, 3].map((n) => closing({ id: channelIdOf(n) })),
  )
  world.unpayable.add(channelIdOf(2))
  expect(await closeRound(ports)).toBe(2)
  expect(sent).toEqual([[channelIdOf(1), channelIdOf(3)]])
  expect(gas).toEqual([260_000n])
})

test('a round without a channel to close sends nothing and takes no gas', async () => {
  const { world, ports, sent, gas } = escrowed([closing()])
  world.unpayable.add(channelId)
  expect(await closeRound(ports)).toBe(0)
  expect([sent, gas]).toEqual([[], []])
})

test('closings wait when the gas of the hour is used up, and that is reported', async () => {
  const closingGas = { take: () => false, giveBack: () => undefined }
  const { ports, sent, notices } = escrowed([closing()], { closingGas })
  expect(await closeRound(ports)).toBe(0)
  expect(sent).toEqual([])
  expect(notices).toEqual([{ type: 'channel_closings_delayed', closings: 1 }])
})

test.each([
  ['mined', 1],
  ['pending', 1],
  ['reverts', 0],
  ['unavailable', 0],
] as const)('a transaction that is %s: %d closings were sent', async (sends, closings) => {
  const { world, ports } = escrowed([closing()])
  world.sends = sends
  expect(await closeRound(ports)).toBe(closings)
})

test('a closing that cannot be sent uses none of the gas of the hour', async () => {
  const closingGas = createGasBudget(130_000n, () => world.now)
  const { world, ports, notices } = escrowed([closing()], { closingGas })
  world.sends = 'unavailable'
  expect(await closeRound(ports)).toBe(0)
  world.now += 61_000
  world.sends = 'pending'
  expect([await closeRound(ports), notices]).toEqual([1, []])
  world.now += 61_000
  expect([await closeRound(ports), notices]).toEqual([
    0,
    [{ type: 'channel_closings_delayed', closings: 1 }],
  ])
})

test.each<readonly [string, Partial<ChannelRecord>]>([
  ['another key decides on it', { config: { ...ourConfig, receiverAuthorizer: treasury } }],
  ['the treasury would pay itself', { config: { ...ourConfig, payer: treasury } }],
])('nothing is signed for a channel: %s', async (_, changes) => {
  const { ports, sent, refunds, channelNow } = escrowed([closing(changes)])
  expect(await closeRound(ports)).toBe(0)
  expect([sent, refunds, (await channelNow()).status]).toEqual([[], [], 'closing'])
})

test('a channel of which a unit more was claimed than charged is frozen, not closed', async () => {
  const { world, ports, refunds, channelNow } = escrowed([closing({ claimed: usdc(10_000n) })])
  world.states.set(channelId, { ...escrow, totalClaimed: 10_001n })
  expect(await closeRound(ports)).toBe(0)
  expect(await channelNow()).toMatchObject({ status: 'frozen', reason: 'claimed_beyond_ledger' })
  expect(refunds).toEqual([])
})

test('a channel that cannot be read delays no other', async () => {
  const { world, ports, sent } = escrowed([1, 2].map((n) => closing({ id: channelIdOf(n) })))
  world.states.delete(channelIdOf(1))
  expect(await closeRound(ports)).toBe(1)
  expect(sent).toEqual([[channelIdOf(2)]])
})

/** The contract as it is now, and as it was when its oldest confirmed block ended. */
function reading(now: readonly ChannelOnChain[], confirmed: readonly ChannelOnChain[]) {
  const made = escrowed([closing()])
  const blocks: unknown[] = []
  const channels = async (_: unknown, block?: number) => {
    blocks.push(block)
    return block === undefined ? now : confirmed
  }
  const channelChain = { ...made.ports.channelChain, channels } as ChannelRoundPorts['channelChain']
  return { ...made, blocks, ports: { ...made.ports, channelChain } }
}

test('a channel with a refund and no confirmed state yet waits', async () => {
  const { world, ports, blocks, sent } = reading([{ ...escrow, refundNonce: 1n }], [])
  await closeRound(ports)
  world.head = 5
  world.now += day
  await closeRound(ports)
  expect(blocks).toEqual([undefined, 91, undefined, 0])
  expect(sent).toEqual([])
})

test('nothing is signed while a refund is on the chain that is not confirmed', async () => {
  const { ports, sent, refunds, channelNow } = reading([{ ...escrow, refundNonce: 1n }], [escrow])
  expect(await closeRound(ports)).toBe(0)
  expect([sent, refunds, (await channelNow()).status]).toEqual([[], [], 'closing'])
})

/** A refund that moved nothing has used the nonce, and is final. */
function emptied(changes: Partial<ChannelRecord> = {}) {
  const made = escrowed([closing(changes)])
  made.world.states.set(channelId, { ...escrow, refundNonce: 1n })
  return made
}

test('a refund that moved nothing opens its channel again, once it is final', async () => {
  const { ports, sent, channelNow } = emptied()
  expect(await closeRound(ports)).toBe(0)
  expect(await channelNow()).toMatchObject({ status: 'open', refundNonce: 1n })
  expect(sent).toEqual([])
})

const refunded = { type: 'refunded', channelId, amount: usdc(5_000n), proof: proofAt(95) } as const

test('a refund whose log is not booked yet does not open its channel', async () => {
  const { world, ports, channelNow, reads } = emptied({ seenBlock: 105 })
  world.logs = [refunded]
  expect(await closeRound(ports)).toBe(0)
  expect((await channelNow()).status).toBe('closing')
  expect(reads).toEqual([{ fromBlock: 95, toBlock: 100 }])
})

test.each<readonly [string, number]>([
  ['of another channel', 2],
  ['that is booked', 1],
])('a refund %s keeps no channel from opening again', async (_, name) => {
  const { world, ports, store, disk, channelNow } = emptied({ seenBlock: 5 })
  if (name === 2) disk.commit({ channels: [channelRecord({ id: channelIdOf(2) })] })
  const { amount, proof } = refunded
  const deposit = { type: 'deposited', channelId, amount, proof: proofAt(96) } as const
  world.logs = [{ ...refunded, channelId: channelIdOf(name) }, deposit]
  if (name === 1) {
    await store.applyToChannel(
      { id: channelId },
      { type: 'returned', by: 'refund', amount, proof, at: start },
    )
    disk.commit({ channels: [closing({ seenBlock: 5 })] })
  }
  await closeRound(ports)
  expect(await channelNow()).toMatchObject({ status: 'open', refundNonce: 1n })
})

test('a channel that was opened again meanwhile is not closed', async () => {
  const made = escrowed([closing()])
  const loadChannel = async () => channelRecord()
  await closeRound({ ...made.ports, store: { ...made.store, loadChannel } })
  expect(made.sent).toEqual([])
})

/** The refund of a closing in its block. */
function refundOf(amount: bigint, number = 1): ChannelLog {
  const proof = proofAt(101, number)
  return { type: 'refunded', channelId: channelIdOf(number), amount: usdc(amount), proof }
}

test('a channel is closed at once: the outcome names its refund', async () => {
  const made = escrowed([closing(), channelRecord({ id: channelIdOf(2) })])
  made.world.mines = async () => [refundOf(7n, 2), refundOf(90_000n)]
  expect(await closeNow(made.ports, await made.channelNow())).toMatchObject({
    status: 'closed',
    channel: { status: 'closed', returned: 90_000n },
    transaction: proofAt(101).transaction,
    amount: 90_000n,
  })
  expect((await made.channelNow()).lease).toEqual({ owner: 'replica', until: start + 60_000 })
})

test.each<readonly [string, Partial<ChannelRecord>]>([
  ['a call is in flight', { reserved: usdc(1n) }],
  ['it sells', { status: 'open' }],
  ['another replica closes it', { lease: { owner: 'another', until: start + 1 } }],
])('a channel is not closed at once: %s', async (_, changes) => {
  const { ports, sent, channelNow } = escrowed([closing(changes)])
  const channel = await channelNow()
  expect(await closeNow(ports, channel)).toEqual({ status: 'closing', channel })
  expect(sent).toEqual([])
})

test('a closing with a call in flight is not leased, so that the round after its end closes it', async () => {
  const { ports, channelNow } = escrowed([closing({ reserved: usdc(1n) })])
  await closeNow(ports, await channelNow())
  expect((await channelNow()).lease).toBe(null)
})

test('a closing whose refund is not in a block, or leaves something, continues', async () => {
  const pending = escrowed([closing()])
  pending.world.sends = 'pending'
  expect((await closeNow(pending.ports, await pending.channelNow())).status).toBe('closing')
  const partly = escrowed([closing()])
  partly.world.mines = async () => [refundOf(1n)]
  expect(await closeNow(partly.ports, await partly.channelNow())).toMatchObject({
    status: 'closing',
    channel: { status: 'open', returned: 1n },
  })
})

test('a refund of before does not count, nor does one of another channel', async () => {
  const made = escrowed([closing(), channelRecord({ id: channelIdOf(2) })])
  made.world.mines = async () => {
    const proof = proofAt(99)
    const back = { type: 'returned', by: 'refund', amount: usdc(90_000n), proof } as const
    await made.store.applyToChannel({ id: channelId }, { ...back, at: start })
    return [refundOf(7n, 2)]
  }
  expect(await closeNow(made.ports, await made.channelNow())).toMatchObject({ status: 'closing' })
})
