import type { Usdc } from '@farebox/money'
import { invalidOption, refuseUnknown } from '../invalid-option.ts'
import type { ChannelUnused } from '../pay/channel-unused.ts'
import { usdcOption } from '../pay/usdc-option.ts'
import { type ChannelStore, createMemoryChannelStore } from './channel-store.ts'
import type { Hex } from './channel-typed-data.ts'

/** How a client pays from payment channels. */
export type ChannelOptions = {
  /**
   * What to deposit each time, or what the call lacks if that is more. By default what the gateway
   * asks for, up to five times `maxAmountPerCall`.
   */
  readonly deposit?: Usdc
  /** How many calls are paid one by one before a channel is opened. Defaults to 3. */
  readonly after?: number
  /** Stores the channels between runs. Defaults to memory. */
  readonly store?: ChannelStore
  /** 32 bytes, different for each process that shares a key. Defaults to zero. */
  readonly salt?: Hex
  /**
   * Called when a call is paid by `exact` although the channel should pay it, once for each reason
   * until the channel pays again. The first calls, before a channel is opened, are not reported.
   */
  readonly onUnused?: (unused: ChannelUnused) => void
}

export type ChannelSettings = {
  readonly deposit: Usdc | undefined
  readonly after: number
  readonly store: ChannelStore
  readonly salt: Hex
  readonly onUnused: (unused: ChannelUnused) => void
}

const zeroSalt: Hex = `0x${'00'.repeat(32)}`

/** Checks the options and fills in the defaults. Throws `invalid_option`. */
export function readChannelOptions(options: ChannelOptions): ChannelSettings {
  const {
    deposit,
    after = 3,
    store = createMemoryChannelStore(),
    salt = zeroSalt,
    onUnused = () => undefined,
    ...unknown
  } = options
  refuseUnknown('channel', unknown)
  if (deposit !== undefined) usdcOption('channel.deposit', deposit, 1n)
  if (!Number.isInteger(after) || after < 0) {
    throw invalidOption('channel.after must be a whole number, 0 or more.')
  }
  if (!/^0x[0-9a-f]{64}$/i.test(salt)) {
    throw invalidOption('channel.salt must be 0x and 64 hexadecimal digits.')
  }
  return { deposit, after, store, salt: `0x${salt.slice(2).toLowerCase()}`, onUnused }
}
