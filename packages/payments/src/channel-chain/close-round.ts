import type { ChannelRecord, Hex } from '@farebox/ledger'
import { times, type Usdc } from '@farebox/money'
import type { TransactionReceipt } from 'viem'
import { faultReporter } from '../events/fault-reporter.ts'
import { rowAlone } from '../events/row-alone.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import { freezeChannel } from './apply-log.ts'
import { bookUsedNonce } from './book-used-nonce.ts'
import { type ChannelOnChain, channelLogsOf } from './channel-chain.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'
import { claimRowOf, signRows } from './claim-batch.ts'
import { leaseDue, release } from './claim-round.ts'
import { closeBatchCall, closeCall } from './contract-calls.ts'
import { sendCall } from './send-call.ts'

/** Closings in one transaction, each of which may fail alone. */
const closingsPerBatch = 20

/**
 * Marks channels that have been idle for long and are worth it as closing, and returns the rest of
 * those that are, with a last claim in the same call.
 */
export async function closeRound(ports: ChannelRoundPorts): Promise<number> {
  await markIdle(ports)
  const closing = await leaseDue(ports, { due: 'refund' }, closingsPerBatch)
  return (await closeChannels(ports, closing)).sent
}

async function markIdle(ports: ChannelRoundPorts): Promise<void> {
  const { store, clock, rules, refundMinimum, notify } = ports
  const above = times(refundMinimum.current(), rules.idleRestOfGas)
  const due = { due: 'close', above, before: clock() - rules.idleMs } as const
  for (const channel of await leaseDue(ports, due, closingsPerBatch)) {
    await rowAlone(faultReporter(ports, 'channels'), async () => {
      const closing = await store.applyToChannel(channel, { type: 'closing', at: clock() })
      notify({ type: 'channel_closing', channel: closing.channel, reason: 'idle' })
      await release(ports, channel)
    })
  }
}

/**
 * Returns what is left of channels that are `closing` and have no call in flight. That state is
 * stored before a refund is signed, and ends only by what the chain shows: a signed refund is valid
 * until its nonce is used.
 */
async function closeChannels(
  ports: ChannelRoundPorts,
  channels: readonly ChannelRecord[],
): Promise<SentClosings> {
  const states = await ports.channelChain.channels(channels.map(({ id }) => id))
  const calls: TransactionCall[] = []
  for (const [index, channel] of channels.entries()) {
    const state = states[index]
    if (state === undefined) continue
    const call = await rowAlone(faultReporter(ports, 'channels'), async () => {
      const current = await bookUsedNonce(ports, channel, state)
      return current?.status === 'closing' ? await closeCallOf(ports, channel, state) : undefined
    })
    if (call !== undefined) calls.push(call)
  }
  return await sendClosings(ports, calls)
}

async function closeCallOf(
  ports: ChannelRoundPorts,
  channel: ChannelRecord,
  state: ChannelOnChain,
): Promise<TransactionCall | undefined> {
  const { id, config, charged, refundNonce: nonce } = channel
  if (config.receiverAuthorizer !== ports.authorizer.address) return undefined
  if (config.payer === ports.treasury) return undefined
  if (state.totalClaimed > charged) {
    await freezeChannel(ports, channel, 'claimed_beyond_ledger')
    return undefined
  }
  // Its log has not been read yet.
  if (state.refundNonce !== nonce) return undefined
  const row = await claimRowOf(ports, channel)
  // A reorganization may have taken a claim that is booked: what was charged stays in the escrow.
  const rest = state.balance - charged
  // From an empty escrow, a refund of one unit moves nothing. It uses up the nonce, and with it any
  // refund that was signed before.
  const amount = rest > 0n ? rest : 1n
  const signature = await ports.authorizer.signRefund({ channelId: id, nonce, amount })
  const refund = { config, amount, nonce, signature }
  const claim = row === undefined ? null : { row, signature: await signRows(ports, [row]) }
  return closeCall({ claim, refund })
}

type SentClosings = {
  /** How many were sent. */
  readonly sent: number
  /** The receipt of their transaction, once it is in a block. */
  readonly receipt: TransactionReceipt | null
}

const noneSent: SentClosings = { sent: 0, receipt: null }

/** Measured: 126,213 alone, 94,956 in a batch of ten. */
const gasPerClosing = 130_000n

async function sendClosings(
  ports: ChannelRoundPorts,
  calls: readonly TransactionCall[],
): Promise<SentClosings> {
  const possible: TransactionCall[] = []
  // A channel whose payee cannot be paid would waste the gas of the batch each time.
  for (const call of calls) {
    if (await ports.channelChain.accepts(call)) possible.push(call)
  }
  const [first, ...others] = possible
  if (first === undefined) return noneSent
  const gas = gasPerClosing * BigInt(possible.length)
  if (!ports.closingGas.take(gas)) {
    ports.notify({ type: 'channel_closings_delayed', closings: possible.length })
    return noneSent
  }
  const call = others.length === 0 ? first : closeBatchCall(possible, ports.network)
  const sent = await sendCall(ports, call)
  // Without gas or a node, the same closings are tried each minute.
  if (sent.status === 'unavailable') ports.closingGas.giveBack(gas)
  if (sent.status === 'mined') return { sent: possible.length, receipt: sent.receipt }
  return sent.status === 'pending' ? { sent: possible.length, receipt: null } : noneSent
}

/** The outcome of closing a channel at once. */
export type CloseOutcome =
  /** The rest, `amount`, was returned to the payer. */
  | {
      readonly status: 'closed'
      readonly channel: ChannelRecord
      readonly transaction: Hex
      readonly amount: Usdc
    }
  /** A call is in flight, or the refund is not in a block yet: the rounds continue it. */
  | { readonly status: 'closing'; readonly channel: ChannelRecord }

/** Returns the rest of a `closing` channel now, while its payer waits. */
export async function closeNow(
  ports: ChannelRoundPorts,
  channel: ChannelRecord,
): Promise<CloseOutcome> {
  const { store, owner, clock, policy } = ports
  const { id, reserved } = channel
  // With a lease, the rounds would wait for its end after that of the call.
  if (reserved > 0n) return { status: 'closing', channel }
  const now = clock()
  const lease = { owner, now, until: now + policy.backgroundLeaseMs }
  const leased = await store.leaseChannel(id, lease)
  if (leased?.status !== 'closing' || leased.reserved > 0n) return { status: 'closing', channel }
  const { receipt } = await closeChannels(ports, [leased])
  const current = (await store.loadChannel(id)) ?? leased
  const logs = receipt === null ? [] : channelLogsOf(receipt)
  const refund = logs.find((log) => log.type === 'refunded' && log.channelId === id)
  if (refund?.type !== 'refunded' || current.status !== 'closed') {
    return { status: 'closing', channel: current }
  }
  const { amount, proof } = refund
  return { status: 'closed', channel: current, transaction: proof.transaction, amount }
}
