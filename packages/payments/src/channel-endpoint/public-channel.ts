import { type ChannelRecord, channelAmounts, type PublicAmount } from '@farebox/ledger'
import { atomicUsdc, greatest, publicAmount, type Usdc } from '@farebox/money'

/** A channel as shown to anyone who knows its id: plain JSON without a signature. */
export type PublicChannel = {
  readonly id: string
  readonly status: ChannelRecord['status']
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly deposited: PublicAmount
  /** Refunded or withdrawn. */
  readonly returned: PublicAmount
  /** The cost of ended calls. */
  readonly charged: PublicAmount
  /** The ceilings of calls in flight. */
  readonly reserved: PublicAmount
  /** What further calls can cost, and what a refund returns once no call is in flight. */
  readonly rest: PublicAmount
  /** Seconds from the announcement of a withdrawal to its payment. */
  readonly withdrawDelay: number
  /** When a pending withdrawal can be paid out. */
  readonly withdrawAt: string | null
  readonly createdAt: string
  readonly lastCallAt: string
}

export function publicChannel(channel: ChannelRecord): PublicChannel {
  const { id, status, chainId, config, withdrawAt } = channel
  return {
    id,
    status,
    network: `eip155:${chainId}`,
    asset: config.token,
    payer: config.payer,
    deposited: publicAmount(channel.deposited),
    returned: publicAmount(channel.returned),
    charged: publicAmount(channel.charged),
    reserved: publicAmount(channel.reserved),
    rest: publicAmount(restOf(channel)),
    withdrawDelay: config.withdrawDelay,
    withdrawAt: withdrawAt === null ? null : isoTime(withdrawAt * 1000),
    createdAt: isoTime(channel.createdAt),
    lastCallAt: isoTime(channel.lastCallAt),
  }
}

/** What is neither charged, nor in flight, nor returned. */
export function restOf(channel: ChannelRecord): Usdc {
  return greatest(channelAmounts(channel).refundable, atomicUsdc(0n))
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
