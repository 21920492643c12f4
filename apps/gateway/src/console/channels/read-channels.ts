import {
  type ChannelRecord,
  type ChannelStatus,
  type ChannelStore,
  type ChannelTotals,
  escrowOf,
} from '@farebox/ledger'
import { noteIn, type Unread } from '../page/unread.ts'
import { pageSize } from '../search.ts'

/** A page of the channels in one state, the oldest first. */
export type ChannelSearch = {
  readonly status: ChannelStatus
  /** The last channel of the page before. */
  readonly after?: ChannelRecord['id'] | undefined
}

/** How many channels are in a state, and what the contract holds for them. */
export type StateSum = { readonly channels: number; readonly escrow: bigint }

export type ChannelList = {
  readonly status: ChannelStatus
  readonly totals: ChannelTotals
  readonly states: Readonly<Partial<Record<ChannelStatus, StateSum>>>
  readonly channels: readonly ChannelRecord[]
  readonly unread: Unread
  /** The last channel of the page, if there are more. */
  readonly next: ChannelRecord['id'] | undefined
}

/** Reads every channel once, as each round of the gateway does, and keeps one page of them. */
export async function readChannels(
  store: Pick<ChannelStore, 'channelTotals' | 'exportChannels'>,
  { status, after }: ChannelSearch,
): Promise<ChannelList> {
  const states: Partial<Record<ChannelStatus, StateSum>> = {}
  const channels: ChannelRecord[] = []
  const unread: string[] = []
  let isPastStart = after === undefined
  for await (const channel of store.exportChannels(noteIn(unread))) {
    const { channels: count, escrow } = states[channel.status] ?? { channels: 0, escrow: 0n }
    states[channel.status] = { channels: count + 1, escrow: escrow + escrowOf(channel) }
    // One more than a page, to know whether there is a next one.
    if (isPastStart && channel.status === status && channels.length <= pageSize) {
      channels.push(channel)
    }
    if (channel.id === after) isPastStart = true
  }
  const shown = channels.slice(0, pageSize)
  const next = channels.length > pageSize ? shown.at(-1)?.id : undefined
  return { status, totals: await store.channelTotals(), states, channels: shown, unread, next }
}
