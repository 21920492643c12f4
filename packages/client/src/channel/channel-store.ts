import type { ChannelConfig, Hex } from './channel-typed-data.ts'

/** A channel as it is kept: plain JSON. Amounts are digits, in atomic units. */
export type StoredChannel = {
  readonly id: Hex
  /** URL of the gateway that sells from it. */
  readonly gateway: string
  /** CAIP-2 id of the chain. */
  readonly network: string
  readonly config: ChannelConfig
  /** Deposits less returns. */
  readonly balance: string
  /** The cost of all calls since the channel began. */
  readonly charged: string
}

/**
 * Where channels are kept between runs. Two processes that share a key must not share channels: give
 * each its own store and `salt`.
 */
export type ChannelStore = {
  load(id: Hex): Promise<StoredChannel | undefined>
  /** Replaces the channel with this id. */
  save(channel: StoredChannel): Promise<void>
}

/** Keeps channels while the process runs. */
export function createMemoryChannelStore(): ChannelStore {
  const channels = new Map<Hex, StoredChannel>()
  return {
    load: async (id) => channels.get(id),
    async save(channel) {
      channels.set(channel.id, channel)
    },
  }
}
