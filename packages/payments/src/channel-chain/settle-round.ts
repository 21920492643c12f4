import { atomicUsdc } from '@farebox/money'
import { faultReporter } from '../events/fault-reporter.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'
import { settleCall } from './contract-calls.ts'
import { sendCall } from './send-call.ts'

/** Pays claims out to the treasury when they are due. */
export type SettleRound = () => Promise<'settled' | 'not_due' | 'failed'>

/** Blocks of Base in a day. */
const blocksPerDay = 43_200

export function createSettleRound(ports: ChannelRoundPorts): SettleRound {
  const { store, clock, rules, network, treasury, channelChain, notify } = ports
  let lastAt: number | null = null

  return async function settleRound() {
    const { unsettled } = await store.channelTotals()
    if (unsettled <= 0n) return 'not_due'
    lastAt ??= await lastSettle(ports)
    const isOld = clock() - lastAt >= rules.settleAfterMs
    if (unsettled <= rules.settleAbove && !isOld) return 'not_due'
    // Anyone may have settled since the logs were read.
    const { totalClaimed, totalSettled } = await channelChain.receiver(treasury)
    if (totalClaimed <= totalSettled) return 'not_due'
    const sent = await sendCall(ports, settleCall(treasury, network.usdc))
    if (sent.status !== 'mined' && sent.status !== 'pending') return 'failed'
    lastAt = clock()
    if (sent.status === 'mined') {
      notify({ type: 'channels_settled', amount: atomicUsdc(totalClaimed - totalSettled) })
    }
    return 'settled'
  }
}

/** When claims were last paid out, searched no further back than it matters. */
async function lastSettle(ports: ChannelRoundPorts): Promise<number> {
  const { store, chain, network } = ports
  const { number: head } = await chain.head()
  const fromBlock = Math.max(0, head - blocksPerDay)
  const search = { chainId: network.chainId, fromBlock }
  const movements = await store.channelMovements(search, faultReporter(ports, 'channels'))
  const settles = movements.filter(({ kind }) => kind === 'settle').map(({ at }) => at)
  return Math.max(Number.NEGATIVE_INFINITY, ...settles)
}
