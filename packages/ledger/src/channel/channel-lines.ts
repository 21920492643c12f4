import { isoTime, publicEntries } from '../book/public-payment.ts'
import { channelAmounts } from './channel-amounts.ts'
import type { ChannelEntry, ChannelMovement } from './channel-movement.ts'
import type { ChannelRecord } from './channel-record.ts'

/** Plain JSON: amounts in atomic units as digits, times in ISO 8601. */
export type ChannelLine = Readonly<Record<string, unknown>>

/** A channel as exported, without its voucher, which is worth money to its receiver. */
export function channelLine(channel: ChannelRecord): ChannelLine {
  const { signature: _signature, turn: _turn, lease: _lease, version: _version, ...shown } = channel
  return {
    ...plain(shown),
    ...plain(channelAmounts(channel)),
    createdAt: isoTime(channel.createdAt),
    updatedAt: isoTime(channel.updatedAt),
    lastCallAt: isoTime(channel.lastCallAt),
    unclaimedSince: channel.unclaimedSince === null ? null : isoTime(channel.unclaimedSince),
  }
}

/** A movement as exported; each entry becomes two lines, one per account, as in a payment's export. */
export function movementLine(
  movement: ChannelMovement,
  entries: readonly ChannelEntry[],
): ChannelLine {
  return {
    ...plain(movement),
    at: isoTime(movement.at),
    entries: entries.flatMap(publicEntries),
  }
}

function plain(record: Readonly<Record<string, unknown>>): ChannelLine {
  const fields = Object.entries(record).map(
    ([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value] as const,
  )
  return Object.fromEntries(fields)
}
