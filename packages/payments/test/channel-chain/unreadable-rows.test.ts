import { type ChannelRecord, type Hex, LedgerError, type LedgerStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import type { ChannelOnChain } from '../../src/channel-chain/channel-chain.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import { claimRound } from '../../src/channel-chain/claim-round.ts'
import { closeRound } from '../../src/channel-chain/close-round.ts'
import { createWatchRound } from '../../src/channel-chain/watch-round.ts'
import { channelIdOf, channelRecord, channelWorld, proofAt } from '../support/channel-world.ts'
import { usdc } from '../support/pay.ts'

const [bad, good] = [channelIdOf(1), channelIdOf(2)]
const corrupt = new LedgerError('corrupt_row', `an invalid seen_block in the row of ${bad}`)
const reported = { type: 'fault', during: 'channels', error: corrupt }

/** Two channels; the row of one cannot be read until it is repaired. */
function openWorld(changes: Partial<ChannelRecord> = {}) {
  const opened = channelWorld([bad, good].map((id) => channelRecord({ id, ...changes })))
  const { store, ports, notices } = opened
  const unreadable = new Set<Hex>([bad])
  const readable = <Result>(id: Hex, read: () => Promise<Result>): Promise<Result> =>
    unreadable.has(id) ? Promise.reject(corrupt) : read()
  const damaged: LedgerStore = {
    ...store,
    loadChannel: (id) => readable(id, () => store.loadChannel(id)),
    applyToChannel: (channel, event) =>
      readable(channel.id, () => store.applyToChannel(channel, event)),
    publishVoucher: (id, from) => readable(id, () => store.publishVoucher(id, from)),
    async *exportChannels(onCorrupt) {
      for await (const channel of store.exportChannels()) {
        if (!unreadable.has(channel.id)) yield channel
        else if (onCorrupt === undefined) throw corrupt
        else onCorrupt(corrupt)
      }
    },
  }
  const faults = () => notices.filter(({ type }) => type === 'fault')
  return { ...opened, ports: { ...ports, store: damaged }, unreadable, faults }
}

const deposited = (id: Hex, block: number): ChannelLog => ({
  type: 'deposited',
  channelId: id,
  amount: usdc(5_000n),
  proof: proofAt(block),
})

test('a channel that cannot be read is reported, and the logs of another are booked', async () => {
  const { world, ports, channelNow, faults } = openWorld()
  world.logs = [deposited(bad, 100), deposited(good, 99)]
  await createWatchRound(ports)()
  expect(await channelNow(good)).toMatchObject({ deposited: 105_000n, seenBlock: 100 })
  expect(faults()).toContainEqual(reported)
})

test.each(['begins', 'has begun'])(
  'what a channel missed that could not be read when the watch %s is booked once it can be read',
  async (when) => {
    const { world, ports, channelNow, unreadable } = openWorld()
    const watch = createWatchRound(ports)
    if (when === 'has begun') {
      unreadable.clear()
      await watch()
      unreadable.add(bad)
    }
    world.head = 105
    world.logs = [deposited(bad, 104)]
    await watch()
    world.head = 1_000
    await watch()
    unreadable.clear()
    world.now += 10 * 60_000
    for (let round = 0; round < 3; round += 1) await watch()
    expect(await channelNow(bad)).toMatchObject({ deposited: 105_000n, seenBlock: 1_000 })
  },
)

test('a channel that was repaired before anything was marked misses nothing', async () => {
  const { world, ports, channelNow, unreadable } = openWorld()
  unreadable.clear()
  const watch = createWatchRound(ports)
  await watch()
  unreadable.add(bad)
  world.head = 105
  world.logs = [deposited(bad, 104)]
  await watch()
  unreadable.clear()
  world.head = 1_000
  world.now += 10 * 60_000
  for (let round = 0; round < 3; round += 1) await watch()
  expect(await channelNow(bad)).toMatchObject({ deposited: 105_000n, seenBlock: 1_000 })
})

test('a channel whose voucher cannot be read does not stop the claims of its batch', async () => {
  const { ports, sent, faults } = openWorld({ unclaimedSince: 0 })
  expect(await claimRound(ports)).toMatchObject({ claimed: 1, waiting: 0 })
  expect(sent).toEqual([[good]])
  expect(faults()).toEqual([reported])
})

test('a channel that cannot be closed does not stop the closing of another', async () => {
  const { world, ports, sent, faults } = openWorld({ status: 'closing' })
  const escrow: ChannelOnChain = {
    balance: 96_000n,
    totalClaimed: 4_000n,
    withdrawalSince: null,
    refundNonce: 0n,
  }
  for (const id of [bad, good]) world.states.set(id, escrow)
  expect(await closeRound(ports)).toBe(1)
  expect(sent).toEqual([[good]])
  expect(faults()).toEqual([reported])
})

test('a store that is down ends the round', async () => {
  const { world, ports } = openWorld()
  const down = new LedgerError('store_unavailable', 'the database is down')
  world.logs = [deposited(good, 100)]
  const loadChannel = () => Promise.reject(down)
  const watch = createWatchRound({ ...ports, store: { ...ports.store, loadChannel } })
  await expect(watch()).rejects.toBe(down)
})
