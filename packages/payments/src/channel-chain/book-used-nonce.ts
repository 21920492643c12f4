import type { ChannelRecord } from '@farebox/ledger'
import { placeOf } from '../chain/log-place.ts'
import type { ChannelOnChain } from './channel-chain.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'

type Ports = Pick<
  ChannelRoundPorts,
  'store' | 'chain' | 'channelChain' | 'clock' | 'network' | 'policy'
>

/**
 * Books that refunds which moved nothing have used up their nonces. They leave no log, so none would
 * show that a reorganization has undone them: they count once they are final. A refund whose log is
 * not booked yet has used its nonce too, and is counted with its log.
 *
 * @returns the channel as the ledger has it now.
 */
export async function bookUsedNonce(
  ports: Ports,
  channel: ChannelRecord,
  { refundNonce }: Pick<ChannelOnChain, 'refundNonce'>,
): Promise<ChannelRecord | undefined> {
  const { store, clock } = ports
  // A nonce never falls from block to block, and a node may have no state of earlier blocks.
  const isUsed = refundNonce > channel.refundNonce
  // Read before the ledger, which may book the refund in the meantime.
  const final = isUsed ? await finalNonce(ports, channel) : 0n
  const current = await store.loadChannel(channel.id)
  if (current === undefined || final <= current.refundNonce) return current
  if (await hasUnreadRefund(ports, current)) return current
  const event = { type: 'nonce_used', refundNonce: final, at: clock() } as const
  return (await store.applyToChannel(current, event)).channel
}

async function finalNonce(
  { chain, channelChain, policy }: Ports,
  { id }: ChannelRecord,
): Promise<bigint> {
  const { number: head } = await chain.head()
  const block = Math.max(0, head - policy.finalConfirmations + 1)
  const [state] = await channelChain.channels([id], block)
  return state?.refundNonce ?? 0n
}

/** Blocks that were read have other logs after a reorganization, until they are final. */
async function hasUnreadRefund(
  { chain, channelChain, store, network, policy }: Ports,
  { id, seenBlock }: ChannelRecord,
): Promise<boolean> {
  const { number: toBlock } = await chain.head()
  const fromBlock = Math.max(0, seenBlock - policy.finalConfirmations)
  const logs = await channelChain.logs({ fromBlock, toBlock })
  const booked = await store.channelMovements({ chainId: network.chainId, fromBlock })
  const places = new Set(booked.map(({ proof }) => placeOf(proof)))
  return logs.some(
    (log) => log.type === 'refunded' && log.channelId === id && !places.has(placeOf(log.proof)),
  )
}
