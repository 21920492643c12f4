import { atomicUsdc, greatest, type Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'
import type { ChannelUnused } from '../pay/channel-unused.ts'
import type { Reservation } from '../pay/spend-budget.ts'
import { orAborted } from '../wallet/or-aborted.ts'
import { type ChannelBook, createChannelBook } from './channel-book.ts'
import type { ChannelOffer } from './channel-offer.ts'
import type { ChannelStore, StoredChannel } from './channel-store.ts'
import { type ChannelConfig, channelId, type Hex } from './channel-typed-data.ts'
import { isVoucherOf } from './voucher-signature.ts'

/** A channel that this client uses. */
export type OpenChannel = {
  readonly id: Hex
  readonly config: ChannelConfig
  readonly book: ChannelBook
  /**
   * Waits for the turn to sign for this channel; the returned function ends the turn. Throws the
   * signal's reason once it is aborted.
   */
  takeTurn(signal?: AbortSignal): Promise<() => void>
  /**
   * Counts what the channel holds, and this deposit, against the caps; `false` if it exceeds one. A lower balance
   * that the server states gives nothing back.
   */
  count(deposit?: bigint): Promise<boolean>
  /** Counts less by this: the deposit was not made, or the channel is closed. */
  giveBack(amount: bigint): void
  /** What is counted against the caps and not spent on a call. */
  unspent(): bigint
  /** Adopts the server's state if it is proven; otherwise `false`. */
  adopt(offer: ChannelOffer): boolean
  /** Keeps the figures; a failure is thrown by the next `saved`. */
  save(): void
  /** Throws `channel_store_failed` if the figures could not be kept. */
  saved(): Promise<void>
  /** Until then calls are paid by `exact`. Milliseconds since 1970. */
  pausedUntil: number
  pausedBy: ChannelUnused | undefined
  /** Calls that were paid by `exact` although the channel could have been opened. */
  exactCalls: number
}

export type OpenChannelsOptions = {
  readonly payer: Hex
  /** URL of the gateway. */
  readonly gateway: string
  readonly salt: Hex
  readonly store: ChannelStore
  /** Reserves an amount that deposits hold; `undefined` if it exceeds a cap. */
  readonly reserve: (amount: Usdc) => Promise<Reservation | undefined>
}

export type OpenChannels = {
  /** The channel for an offer: the kept one, or a new one that holds nothing. */
  of(offer: ChannelOffer): Promise<OpenChannel>
  /** What is counted against the caps and not spent on a call. */
  unspent(): bigint
}

/** Creates the channels of one client. */
export function createOpenChannels(options: OpenChannelsOptions): OpenChannels {
  const opened = new Map<Hex, Promise<OpenChannel>>()
  const channels: OpenChannel[] = []

  async function open(id: Hex, config: ChannelConfig, offer: ChannelOffer): Promise<OpenChannel> {
    const stored = await load(options.store, id)
    const { balance = '0', charged = '0' } = stored ?? {}
    const book = createChannelBook({ balance: BigInt(balance), charged: BigInt(charged) })
    const channel = openChannel({ ...options, id, config, book, offer })
    channels.push(channel)
    return channel
  }

  return {
    async of(offer) {
      const config = configOf(options, offer)
      const id = channelId(config, offer.network.chainId)
      const known = opened.get(id)
      if (known !== undefined) return await known
      const opening = open(id, config, offer)
      opened.set(id, opening)
      // The next call reads the store again.
      opening.catch(() => opened.delete(id))
      return await opening
    },
    unspent: () => channels.reduce((total, { unspent }) => total + unspent(), 0n),
  }
}

async function load(store: ChannelStore, id: Hex): Promise<StoredChannel | undefined> {
  try {
    return await store.load(id)
  } catch (cause) {
    throw storeFailed('read from its store; nothing was paid.', cause)
  }
}

function configOf(
  { payer, salt }: OpenChannelsOptions,
  { receiver, receiverAuthorizer, network, withdrawDelay }: ChannelOffer,
): ChannelConfig {
  const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`
  return {
    payer: lower(payer),
    payerAuthorizer: lower(payer),
    receiver: lower(receiver),
    receiverAuthorizer: lower(receiverAuthorizer),
    token: lower(network.usdc),
    withdrawDelay,
    salt,
  }
}

type ChannelParts = OpenChannelsOptions & {
  readonly id: Hex
  readonly config: ChannelConfig
  readonly book: ChannelBook
  readonly offer: ChannelOffer
}

function openChannel(parts: ChannelParts): OpenChannel {
  const { id, config, book, store, gateway, offer } = parts
  let last: Promise<unknown> = Promise.resolve()
  let saving: Promise<void> = Promise.resolve()
  return {
    ...countWithinCaps(book, parts.reserve),
    id,
    config,
    book,
    pausedUntil: 0,
    pausedBy: undefined,
    exactCalls: 0,
    async takeTurn(signal) {
      let release = (): void => undefined
      const before = last
      last = new Promise<void>((resolve) => {
        release = resolve
      })
      try {
        await orAborted(before, signal)
      } catch (error) {
        void before.then(release)
        throw error
      }
      return release
    },
    adopt({ stated, network }) {
      if (stated === undefined || stated.channelId.toLowerCase() !== id) return false
      const { totalClaimed, charged, signed, signature, balance } = stated
      const voucher = { channelId: id, chainId: network.chainId, max: signed }
      const isProven = totalClaimed <= charged && charged <= signed
      if (!isProven || !isVoucherOf(config.payer, voucher, signature)) return false
      book.adopt({ balance, next: charged })
      return true
    },
    save() {
      const amounts = { balance: book.balance().toString(), charged: book.charged().toString() }
      const kept = { id, gateway, network: offer.network.id, config, ...amounts }
      saving = saving.then(async () => await store.save(kept))
      // `saved` throws the error.
      saving.catch(() => undefined)
    },
    async saved() {
      const outcome = saving
      saving = outcome.catch(() => undefined)
      await outcome.catch((cause: unknown) => {
        throw storeFailed(notSaved, cause)
      })
    },
  }
}

const notSaved = 'saved. Its state is recovered from the gateway once the store works.'

/** The store's own message names the fix. */
function storeFailed(what: string, cause: unknown): FareboxError {
  const reason = cause instanceof Error ? ` ${cause.message}` : ''
  const message = `The payment channel could not be ${what}${reason}`
  return new FareboxError('channel_store_failed', message, { cause })
}

type Counted = Pick<OpenChannel, 'count' | 'giveBack' | 'unspent'>

/**
 * Counts against the caps what a channel held when it was first used here, and every deposit since.
 */
function countWithinCaps(book: ChannelBook, reserve: OpenChannelsOptions['reserve']): Counted {
  const reservations: Reservation[] = []
  let total = 0n

  return {
    async count(deposit = 0n) {
      const change = greatest(book.balance() - book.before() - total, 0n) + deposit
      if (change === 0n) return true
      const reservation = await reserve(atomicUsdc(change))
      if (reservation === undefined) return false
      reservations.push(reservation)
      total += change
      return true
    },
    giveBack(amount) {
      let left = amount
      for (const reservation of reservations.splice(0).reverse()) {
        const kept = greatest(reservation.amount - left, 0n)
        left -= reservation.amount - kept
        reservation.setCost(atomicUsdc(kept))
        if (kept > 0n) reservations.unshift({ ...reservation, amount: atomicUsdc(kept) })
      }
      total -= amount - left
    },
    unspent() {
      const used = greatest(book.balance() - book.rest(), book.charged()) - book.before()
      return greatest(total - used, 0n)
    },
  }
}
