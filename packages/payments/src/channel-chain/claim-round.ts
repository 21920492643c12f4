import type { ChannelRecord, ChannelsDue } from '@farebox/ledger'
import { faultReporter } from '../events/fault-reporter.ts'
import { rowAlone } from '../events/row-alone.ts'
import { claimThreshold } from '../policy/claim-threshold.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import type { ChannelOnChain } from './channel-chain.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'
import {
  addResults,
  type ClaimResult,
  claimBatch,
  claimRowOf,
  nothingClaimed,
} from './claim-batch.ts'
import type { ClaimRow } from './contract-calls.ts'
import { applyState } from './watch-round.ts'

/** Batches of one round: what is left is claimed in the next. */
const maxBatches = 10

/**
 * Claims what is due in batches: what a channel's limits no longer allow to wait, and smaller and
 * smaller amounts as all channels together approach their limit.
 */
export async function claimRound(ports: ChannelRoundPorts): Promise<ClaimResult> {
  const { store, clock, rules } = ports
  const { claimable, reserved } = await store.channelTotals()
  const above = claimThreshold(rules, claimable + reserved)
  const due = { due: 'claim', above, before: clock() - rules.claimAfterMs } as const
  const done: ClaimRow[] = []
  let result = nothingClaimed
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const channels = await leaseDue(ports, due, rules.claimBatchSize)
    const rows = await rowsOf(ports, channels)
    const claimed = await claimBatch(ports, rows)
    result = addResults(result, claimed)
    if (claimed.claimed === rows.length) done.push(...rows)
    if (channels.length < rules.claimBatchSize) break
  }
  // Others keep their leases, so that the next rounds begin with the channels behind them.
  await forEachConcurrently(done, 50, ({ channelId: id }) => release(ports, { id }))
  return result
}

/**
 * Claims from channels with a pending withdrawal, each alone: a payment between the simulation and
 * the block would revert a batch. Calls in flight are claimed by the rounds after they ended.
 * `watched` is the block up to which the logs were read; null if they could not be.
 */
export async function claimWithdrawing(
  ports: ChannelRoundPorts,
  watched: number | null,
): Promise<ClaimResult> {
  const channels = await leaseDue(ports, { due: 'withdrawal' }, maxWithdrawals)
  const states = await statesAt(ports, channels, watched)
  let result = nothingClaimed
  for (const [index, channel] of channels.entries()) {
    const state = states[index]
    if (state !== undefined)
      await rowAlone(faultReporter(ports, 'channels'), () => applyState(ports, channel, state))
    const rows = await rowsOf(ports, [channel])
    result = addResults(result, await claimBatch(ports, rows))
    await release(ports, channel)
  }
  return result
}

const maxWithdrawals = 1_000

/**
 * Claims need only what the ledger knows, and are made even if the contract cannot be read. It is
 * read at the block that was watched: a node that is behind would show no withdrawal.
 */
async function statesAt(
  { channelChain, notify }: ChannelRoundPorts,
  channels: readonly ChannelRecord[],
  watched: number | null,
): Promise<readonly ChannelOnChain[]> {
  if (watched === null) return []
  try {
    return await channelChain.channels(
      channels.map(({ id }) => id),
      watched,
    )
  } catch (error) {
    notify({ type: 'fault', during: 'channels', error })
    return []
  }
}

export async function leaseDue(
  ports: ChannelRoundPorts,
  due: ChannelsDue,
  limit: number,
): Promise<readonly ChannelRecord[]> {
  const { store, owner, clock, policy } = ports
  const now = clock()
  const until = now + policy.backgroundLeaseMs
  return await store.leaseChannels(
    due,
    { owner, now, until, limit },
    faultReporter(ports, 'channels'),
  )
}

/** Ends the lease of a channel, so that the next round may take it. */
export async function release(
  { store, owner, clock }: Pick<ChannelRoundPorts, 'store' | 'owner' | 'clock'>,
  { id }: Pick<ChannelRecord, 'id'>,
): Promise<void> {
  const now = clock()
  await store.leaseChannel(id, { owner, now, until: now })
}

async function rowsOf(
  ports: ChannelRoundPorts,
  channels: readonly ChannelRecord[],
): Promise<readonly ClaimRow[]> {
  const rows: ClaimRow[] = []
  for (const channel of channels) {
    const row = await rowAlone(faultReporter(ports, 'channels'), () => claimRowOf(ports, channel))
    if (row !== undefined) rows.push(row)
  }
  return rows
}
