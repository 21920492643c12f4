import { noLimits } from '../../channel/call-limits.ts'
import type { ChannelStore } from '../../store/channel-store.ts'
import type { Executor } from '../executor.ts'
import type { Queries } from '../queries/queries.ts'
import * as channels from './channel-operations.ts'
import * as movements from './movement-operations.ts'
import { paged } from './paged.ts'

/** Payment channels over a database. */
export function sqlChannels(queries: Queries, executor: Executor): ChannelStore {
  const { read, write, writeOnce } = executor
  return {
    claimDeposit: (deposit, channel, balance) =>
      write(() => channels.claimDeposit(queries, { deposit, channel, balance })),
    openChannel: (channel) => writeOnce(() => channels.openChannel(queries, channel)),
    loadChannel: (id) => read(() => channels.loadChannel(queries, id)),
    holdCall: (call, voucher, limits = noLimits) =>
      write(() => channels.holdCall(queries, { call, voucher, limits })),
    findCall: (id, max) => read(() => channels.findCall(queries, id, max)),
    unusedBase: (id, from, ceiling) =>
      read(() => channels.unusedBase(queries, id, { from, ceiling })),
    applyToChannel: ({ id }, event) => write(() => channels.applyToChannel(queries, id, event)),
    takeTurn: (channel, turn, now) =>
      writeOnce(() => channels.takeTurn(queries, channel, { turn, now })),
    publishVoucher: (id, from) => write(() => channels.publishVoucher(queries, id, from)),
    leaseChannel: (id, lease) => writeOnce(() => channels.leaseChannel(queries, id, lease)),
    leaseChannels: (due, request, onCorrupt) =>
      writeOnce(() => channels.leaseChannels(queries, { due, request, onCorrupt })),
    recordSettle: (event) => write(() => movements.recordSettle(queries, event)),
    channelMovements: (search, onCorrupt) =>
      read(() => movements.channelMovements(queries, search, onCorrupt)),
    channelTotals: () => read(() => channels.channelTotals(queries)),
    channelsAtRisk: (payer) => read(() => channels.channelsAtRisk(queries, payer)),
    exportChannels: (onCorrupt) =>
      paged(executor, (after) => movements.channelPage(queries, after, onCorrupt)),
    exportMovements: (onCorrupt) =>
      paged(executor, (after) => movements.movementPage(queries, after, onCorrupt)),
  }
}
