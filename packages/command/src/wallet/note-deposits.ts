import type { ChannelStore, StoredChannel } from '@farebox/client'
import { formatDecimal } from '@farebox/money'

/** A store of channels that notes when a channel holds more than before. */
export function noteDeposits(store: ChannelStore, note: (text: string) => void): ChannelStore {
  const balances = new Map<string, bigint>()
  return {
    async load(id) {
      const channel = await store.load(id)
      balances.set(id, BigInt(channel?.balance ?? 0))
      return channel
    },
    async save(channel) {
      const { id, balance } = channel
      const before = balances.get(id) ?? 0n
      balances.set(id, BigInt(balance))
      await store.save(channel)
      if (BigInt(balance) > before) note(depositLine(channel))
    },
  }
}

function depositLine({ id, balance, charged }: StoredChannel): string {
  const left = usdc(BigInt(balance) - BigInt(charged))
  return `payment channel ${id}: ${usdc(BigInt(balance))} deposited, ${left} left. \`farebox channel close\` returns the rest.`
}

function usdc(amount: bigint): string {
  return `${formatDecimal(amount, 6)} USDC`
}
