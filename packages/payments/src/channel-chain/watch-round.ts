import type { ChannelEvent, ChannelMovement, ChannelRecord, Hex } from '@farebox/ledger'
import type { Block } from '../chain/chain.ts'
import { placeOf } from '../chain/log-place.ts'
import { faultReporter } from '../events/fault-reporter.ts'
import { rowAlone } from '../events/row-alone.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { applyLog, freezeChannel, takeBack } from './apply-log.ts'
import { bookUsedNonce } from './book-used-nonce.ts'
import type { ChannelOnChain } from './channel-chain.ts'
import type { ChannelLog } from './channel-log.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'

/** Reads the contract's logs since the last round and books them; returns the head it read up to. */
export type WatchRound = () => Promise<Block>

/** How often the block is stored up to which the logs were read. */
const markMs = 10 * 60_000

/**
 * Creates the watch of the channel contract. Each round reads the last blocks again as long as a
 * reorganization may replace them, takes back what has vanished, and books what is new. The first one
 * begins where the ledger's channels were last seen, and with the present if it has none.
 */
export function createWatchRound(ports: ChannelRoundPorts): WatchRound {
  const { finalConfirmations } = ports.policy
  let began: number | null = null
  let next: number | null = null
  const marks = createMarks(ports)

  return async function watchRound() {
    const head = await ports.chain.head()
    began ??= await firstBlock(ports, head.number)
    const unread = Math.min(next ?? began, head.number + 1)
    const fromBlock = Math.max(began, unread - finalConfirmations)
    const range = { fromBlock, toBlock: head.number }
    const logs = await ports.channelChain.logs(range)
    const lost = await takeBackVanished(ports, logs, range)
    for (const log of logs) {
      const applied = await rowAlone(faultReporter(ports, 'channels'), async () => {
        await applyLog(ports, log)
        return true
      })
      if (applied === undefined && 'channelId' in log) marks.missed(log.channelId)
    }
    await readStates(ports, changedIn([...logs, ...lost]), head.number)
    next = head.number + 1
    const behind = await marks.mark(head.number)
    if (behind !== null) {
      next = behind
      began = Math.min(began, Math.max(0, behind - finalConfirmations))
    }
    return head
  }
}

/**
 * The first block to read: a reorganization before the block at which the channels were last seen that
 * may still change. Closed ones alone are seen together.
 */
async function firstBlock(ports: ChannelRoundPorts, head: number): Promise<number> {
  const { store, policy } = ports
  let live: number | null = null
  let closed: number | null = null
  const channels = store.exportChannels(faultReporter(ports, 'channels'))
  for await (const { status, seenBlock } of channels) {
    if (status === 'closed') closed = Math.max(closed ?? seenBlock, seenBlock)
    else live = Math.min(live ?? seenBlock, seenBlock)
  }
  const seen = live ?? closed
  return seen === null ? head + 1 : Math.max(0, seen - policy.finalConfirmations)
}

/** Stores up to which block the logs of each channel were read. */
type Marks = {
  /** A log of this channel could not be booked. */
  missed(channelId: Hex): void
  /**
   * Marks the channels when it is time. Returns the block from which the logs are to be read again
   * first: there is a channel that could not be read for a while, and can be now.
   */
  mark(head: number): Promise<number | null>
}

function createMarks(ports: ChannelRoundPorts): Marks {
  const failed = new Set<Hex>()
  let markedAt = Number.NEGATIVE_INFINITY
  let marked = Number.NEGATIVE_INFINITY
  let isReadAgain = false
  return {
    missed: (channelId) => failed.add(channelId),
    async mark(head) {
      if (ports.clock() - markedAt < markMs) return null
      const channels = await liveChannels(ports)
      const behind = channels.filter(({ id, seenBlock }) => seenBlock < marked || failed.has(id))
      failed.clear()
      isReadAgain = behind.length > 0 && !isReadAgain
      if (isReadAgain) return Math.min(...behind.map(({ seenBlock }) => seenBlock))
      await markSeen(ports, channels, head)
      marked = head
      markedAt = ports.clock()
      return null
    },
  }
}

type Seen = Pick<ChannelRecord, 'id' | 'seenBlock'>

async function liveChannels(ports: ChannelRoundPorts): Promise<readonly Seen[]> {
  const live: Seen[] = []
  const channels = ports.store.exportChannels(faultReporter(ports, 'channels'))
  for await (const { id, status, seenBlock } of channels) {
    if (status !== 'closed') live.push({ id, seenBlock })
  }
  return live
}

/** Writes are committed in groups, so that many channels do not take many times as long as one. */
async function markSeen(
  ports: ChannelRoundPorts,
  channels: readonly Seen[],
  block: number,
): Promise<void> {
  const behind = channels.filter(({ seenBlock }) => seenBlock < block)
  await forEachConcurrently(behind, 50, async ({ id }) => {
    await rowAlone(faultReporter(ports, 'channels'), async () => {
      // Another replica may have seen more, or removed it.
      const current = await ports.store.loadChannel(id)
      if (current === undefined || current.seenBlock >= block) return
      await ports.store.applyToChannel(current, { type: 'seen', block, at: ports.clock() })
    })
  })
}

type Range = { readonly fromBlock: number; readonly toBlock: number }

/** The latest first, since each was booked on top of those before it. */
async function takeBackVanished(
  ports: ChannelRoundPorts,
  logs: readonly ChannelLog[],
  { fromBlock, toBlock }: Range,
): Promise<readonly ChannelMovement[]> {
  const { store, chain, network } = ports
  const present = new Set(logs.map(({ proof }) => placeOf(proof)))
  const report = faultReporter(ports, 'channels')
  const booked = await store.channelMovements({ chainId: network.chainId, fromBlock }, report)
  const missing = booked.filter(
    ({ proof }) => proof.block <= toBlock && !present.has(placeOf(proof)),
  )
  const lost: ChannelMovement[] = []
  for (const movement of missing.toReversed()) {
    // A log may be missing because the node is behind: only another block in its place proves it.
    if ((await chain.confirmationsOf(movement.proof)) !== 'gone') continue
    await rowAlone(report, () => takeBack(ports, movement))
    lost.push(movement)
  }
  return lost
}

const readFor = ['withdraw_announced', 'withdrawn', 'refunded', 'refund', 'withdrawal', 'deposited']

/**
 * The channels whose withdrawal these may have announced, executed or reduced, and those with a
 * deposit: refunds that were executed before it moved nothing.
 */
function changedIn(seen: readonly (ChannelLog | ChannelMovement)[]): ReadonlySet<Hex> {
  const ids = seen
    .filter((one) => readFor.includes('type' in one ? one.type : one.kind))
    .map((one) => ('channelId' in one ? one.channelId : null))
  return new Set(ids.filter((id) => id !== null))
}

/** What is in no log: pending withdrawals, and nonces of refunds that moved nothing. */
async function readStates(
  ports: ChannelRoundPorts,
  ids: ReadonlySet<Hex>,
  block: number,
): Promise<void> {
  const report = faultReporter(ports, 'channels')
  const channels: ChannelRecord[] = []
  // Most may be strangers' after an outage.
  await forEachConcurrently(ids, 50, async (id) => {
    const channel = await rowAlone(report, () => ports.store.loadChannel(id))
    if (channel !== undefined) channels.push(channel)
  })
  const states = await ports.channelChain.channels(
    channels.map(({ id }) => id),
    block,
  )
  for (const [index, channel] of channels.entries()) {
    const state = states[index]
    if (state === undefined) continue
    await rowAlone(report, async () => {
      await applyState(ports, channel, state)
      // A closing looks at its nonce itself.
      if (channel.status !== 'closing') await bookUsedNonce(ports, channel, state)
    })
  }
}

/** Updates a channel's pending withdrawal, and freezes it if more was claimed than charged. */
export async function applyState(
  ports: Pick<ChannelRoundPorts, 'store' | 'clock' | 'notify'>,
  channel: ChannelRecord,
  { withdrawalSince, totalClaimed }: ChannelOnChain,
): Promise<void> {
  if (totalClaimed > channel.charged) await freezeIfBeyond(ports, channel, totalClaimed)
  const withdrawAt =
    withdrawalSince === null ? null : withdrawalSince + channel.config.withdrawDelay
  if (withdrawAt === channel.withdrawAt) return
  const at = ports.clock()
  const event: ChannelEvent =
    withdrawAt === null
      ? { type: 'withdraw_cleared', at }
      : { type: 'withdraw_announced', withdrawAt, at }
  const applied = await ports.store.applyToChannel(channel, event)
  if (withdrawAt !== null) ports.notify({ type: 'channel_withdrawal', channel: applied.channel })
}

/** What was charged is read after what was claimed, which never runs ahead of it. */
async function freezeIfBeyond(
  ports: Pick<ChannelRoundPorts, 'store' | 'clock' | 'notify'>,
  { id }: ChannelRecord,
  totalClaimed: bigint,
): Promise<void> {
  const current = await ports.store.loadChannel(id)
  if (current !== undefined && totalClaimed > current.charged) {
    await freezeChannel(ports, current, 'claimed_beyond_ledger')
  }
}
