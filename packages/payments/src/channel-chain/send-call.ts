import type { TransactionReceipt } from 'viem'
import { isReplaced } from '../relayer/is-replaced.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import { applyLog } from './apply-log.ts'
import { channelLogsOf } from './channel-chain.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'

export type SentCall =
  | { readonly status: 'mined'; readonly receipt: TransactionReceipt }
  /** Sent, and not seen in a block yet: the watch finds its logs. */
  | { readonly status: 'pending' }
  /**
   * `reverts`: the call would revert and was not sent, or it did. `unavailable`: nothing was sent, and
   * the call is not at fault. `replaced`: another transaction took its place, and used gas.
   */
  | { readonly status: 'reverts' | 'unavailable' | 'replaced' }

/** How long a round waits for a block. */
const receiptMs = 20_000

/** Sends a call to the contract through the relayer, and books the logs of its receipt at once. */
export async function sendCall(ports: ChannelRoundPorts, call: TransactionCall): Promise<SentCall> {
  const sent = await ports.queue.send({ ...call, purpose: 'channel' })
  if (sent.status === 'reverts' || sent.status === 'unavailable') return { status: sent.status }
  const receipt = await ports.queue.receiptOf(sent.transaction, receiptMs)
  if (receipt === undefined) return { status: 'pending' }
  if (isReplaced(receipt)) return { status: 'replaced' }
  for (const log of channelLogsOf(receipt)) await applyLog(ports, log)
  return receipt.status === 'success' ? { status: 'mined', receipt } : { status: 'reverts' }
}
