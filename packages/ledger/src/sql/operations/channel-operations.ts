import { LedgerError } from '../../payment/ledger-error.ts'
import type { ChannelStore } from '../../store/channel-store.ts'

function refuse(): never {
  throw new LedgerError('store_unavailable', 'channels are not supported')
}

/** Payment channels over a database. */
export function sqlChannels(): ChannelStore {
  return {
    claimDeposit: async () => refuse(),
    openChannel: async () => refuse(),
    loadChannel: async () => refuse(),
    holdCall: async () => refuse(),
    findCall: async () => refuse(),
    unusedBase: async () => refuse(),
    applyToChannel: async () => refuse(),
    takeTurn: async () => refuse(),
    publishVoucher: async () => refuse(),
    leaseChannel: async () => refuse(),
    leaseChannels: async () => refuse(),
    recordSettle: async () => refuse(),
    channelMovements: async () => refuse(),
    channelTotals: async () => refuse(),
    exportChannels: () => refuse(),
    exportMovements: () => refuse(),
  }
}
