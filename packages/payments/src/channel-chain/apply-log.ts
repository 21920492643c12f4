import {
  type ChannelConfig,
  type ChannelEvent,
  type ChannelMovement,
  type ChannelRecord,
  channelAmounts,
  escrowOf,
  TransitionError,
} from '@farebox/ledger'
import { zeroAddress } from '../chain/addresses.ts'
import type { ChannelLog } from './channel-log.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'

type Ports = Pick<
  ChannelRoundPorts,
  | 'store'
  | 'chain'
  | 'clock'
  | 'notify'
  | 'network'
  | 'policy'
  | 'treasury'
  | 'authorizer'
  | 'rules'
>

/**
 * Books what a log of the contract shows, once, however often it is read. Logs of channels that are
 * not ours are left out; a channel whose logs contradict the ledger is frozen, without delaying others.
 *
 * @throws any error of the store.
 */
export async function applyLog(ports: Ports, log: ChannelLog): Promise<void> {
  switch (log.type) {
    case 'settled':
      await applySettled(ports, log)
      break
    case 'created':
      await openOurs(ports, log)
      break
    case 'withdraw_announced':
      // The pending withdrawal is read from the contract, since a reorganization may have undone
      // the announcement.
      break
    case 'deposited':
    case 'claimed':
    case 'refunded':
    case 'withdrawn': {
      const channel = await ports.store.loadChannel(log.channelId)
      if (channel !== undefined) await applyTo(ports, channel, log)
    }
  }
}

type LogOf<Type extends ChannelLog['type']> = Extract<ChannelLog, { readonly type: Type }>
type MovementLog = LogOf<'deposited' | 'claimed' | 'refunded' | 'withdrawn'>

async function applySettled(
  { store, clock, network, treasury }: Ports,
  { receiver, token, amount, proof }: LogOf<'settled'>,
): Promise<void> {
  if (receiver !== treasury || token !== network.usdc) return
  await store.recordSettle({
    type: 'settled',
    chainId: network.chainId,
    amount,
    proof,
    at: clock(),
  })
}

/** A payer can also open its channel without us. */
async function openOurs(
  ports: Ports,
  { channelId: id, config, proof }: LogOf<'created'>,
): Promise<void> {
  if (!isOurs(ports, config)) return
  const { store, clock, network } = ports
  const { chainId } = network
  await store.openChannel({ id, chainId, config, seenBlock: proof.block, createdAt: clock() })
}

function isOurs({ network, treasury, authorizer, rules }: Ports, config: ChannelConfig): boolean {
  return (
    config.receiver === treasury &&
    config.receiverAuthorizer === authorizer.address &&
    config.token === network.usdc &&
    config.withdrawDelay === rules.withdrawDelaySeconds &&
    config.payerAuthorizer !== zeroAddress &&
    config.payer !== treasury
  )
}

async function applyTo(ports: Ports, channel: ChannelRecord, log: MovementLog): Promise<void> {
  if (log.type === 'claimed' && log.total > channel.charged) {
    await freezeChannel(ports, channel, 'claimed_beyond_ledger')
    return
  }
  // A movement that vanished is still booked. Once it is taken back, this one is read again.
  if (log.type === 'claimed' && channel.claimed + log.amount > channel.charged) return
  const exceeds = log.type !== 'deposited' && log.amount > escrowOf(channel)
  if (exceeds && (await mayBeTakenBack(ports, channel))) return
  const event = eventOf(log, { at: ports.clock(), ...(!exceeds && { within: 'escrow' }) })
  if (event === null) return
  const applied = await applyEvent(ports, channel, event)
  if (applied !== undefined) announce(ports, applied, log)
}

function announce(
  { notify }: Pick<Ports, 'notify'>,
  channel: ChannelRecord,
  { type, amount, proof: { transaction } }: MovementLog,
): void {
  const { id: channelId, config } = channel
  switch (type) {
    case 'deposited':
      notify({ type: 'channel_deposited', channelId, payer: config.payer, amount, transaction })
      break
    case 'claimed':
      // Each round reports its claims together.
      break
    case 'refunded':
    case 'withdrawn': {
      const isLeft = channelAmounts(channel).refundable > 0n
      notify({
        type: isLeft ? 'channel_returned' : 'channel_closed',
        channel,
        by: type === 'refunded' ? 'refund' : 'withdrawal',
        amount,
        transaction,
      })
    }
  }
}

/**
 * Whether the ledger has booked a movement which the log that exceeds the channel may have replaced.
 * Movements that are final have not vanished.
 */
async function mayBeTakenBack(
  { store, chain, network, policy }: Ports,
  { id }: ChannelRecord,
): Promise<boolean> {
  const { number: head } = await chain.head()
  const fromBlock = Math.max(0, head - policy.finalConfirmations + 2)
  const booked = await store.channelMovements({ chainId: network.chainId, fromBlock })
  return booked.some(({ channelId, kind }) => channelId === id && kind !== 'deposit')
}

function eventOf(
  log: MovementLog,
  booking: { readonly at: number; readonly within?: 'escrow' },
): ChannelEvent | null {
  const { amount, proof } = log
  const { at } = booking
  switch (log.type) {
    case 'deposited':
      return { type: 'deposit_proven', amount, proof, at }
    case 'claimed':
      return { type: 'claim_proven', amount, proof, ...booking }
    case 'refunded':
      return { type: 'returned', by: 'refund', amount, proof, ...booking }
    case 'withdrawn':
      // Claims can use up all that was announced.
      return amount === 0n
        ? null
        : { type: 'returned', by: 'withdrawal', amount, proof, ...booking }
  }
}

/**
 * Applies what the chain shows. A channel that cannot be in that state is frozen, unless the next
 * round reads another state.
 *
 * @returns the channel; undefined if nothing was applied.
 */
async function applyEvent(
  ports: Ports,
  channel: ChannelRecord,
  event: ChannelEvent,
): Promise<ChannelRecord | undefined> {
  try {
    const outcome = await ports.store.applyToChannel(channel, event)
    return outcome.status === 'applied' ? outcome.channel : undefined
  } catch (error) {
    if (!(error instanceof TransitionError)) throw error
    if (await isOutdated(ports, channel, event)) return undefined
    ports.notify({ type: 'fault', during: 'channels', error })
    await freezeChannel(ports, channel, 'log_contradicts_ledger')
    return undefined
  }
}

/** Whether another replica changed the channel meanwhile, or a reorganization took the log. */
async function isOutdated(
  { store, chain }: Ports,
  { id, version }: ChannelRecord,
  event: ChannelEvent,
): Promise<boolean> {
  const current = await store.loadChannel(id)
  if (current?.version !== version) return true
  if (!('proof' in event) || event.type.endsWith('_lost')) return false
  return (await chain.confirmationsOf(event.proof)) === 'gone'
}

/** Stops a channel for good: what it holds can only be claimed, refunded or withdrawn. */
export async function freezeChannel(
  { store, clock, notify }: Pick<Ports, 'store' | 'clock' | 'notify'>,
  { id }: Pick<ChannelRecord, 'id'>,
  reason: string,
): Promise<void> {
  const current = await store.loadChannel(id)
  if (current === undefined || current.status === 'frozen') return
  const { channel } = await store.applyToChannel(current, { type: 'frozen', reason, at: clock() })
  notify({ type: 'channel_frozen', channel, reason })
}

/** Takes back a movement whose log has vanished in a reorganization. */
export async function takeBack(ports: Ports, movement: ChannelMovement): Promise<void> {
  const { kind, channelId, chainId, amount, proof } = movement
  const at = ports.clock()
  if (channelId === null) {
    await ports.store.recordSettle({ type: 'settle_lost', chainId, amount, proof, at })
    return
  }
  const channel = await ports.store.loadChannel(channelId)
  if (channel === undefined || kind === 'settle') return
  const applied = await applyEvent(ports, channel, lossOf(kind, { amount, proof, at }))
  if (applied === undefined) return
  const { transaction } = proof
  ports.notify({ type: 'channel_movement_lost', channel: applied, kind, amount, transaction })
}

function lossOf(
  kind: Exclude<ChannelMovement['kind'], 'settle'>,
  lost: Pick<ChannelMovement, 'amount' | 'proof' | 'at'>,
): ChannelEvent {
  switch (kind) {
    case 'deposit':
      return { type: 'deposit_lost', ...lost }
    case 'claim':
      return { type: 'claim_lost', ...lost }
    case 'refund':
    case 'withdrawal':
      return { type: 'return_lost', by: kind, ...lost }
  }
}
