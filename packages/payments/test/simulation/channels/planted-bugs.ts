import type { ChannelRecord, LedgerStore, MemoryDisk } from '@farebox/ledger'
import { atomicUsdc, sum } from '@farebox/money'
import type { SimContext } from '../sim-context.ts'

/** Bugs in what is sold from payment channels and claimed from them, as `PlantedBug` names them. */
export function withPlantedChannelBug(
  { plantedBug, disk }: SimContext,
  store: LedgerStore,
): LedgerStore {
  switch (plantedBug) {
    case 'a voucher buys again':
      return {
        ...store,
        holdCall: (call, voucher, limits) => {
          const use = disk.channelUses.get(`${call.channelId}:${voucher.max}`)
          if (use !== undefined)
            disk.commit({ channelUses: [{ ...use, free: true, published: false }] })
          return store.holdCall(call, voucher, limits)
        },
      }
    case 'withdrawals are not answered':
      return {
        ...store,
        leaseChannels: async (...request) =>
          (await store.leaseChannels(...request)).filter(({ withdrawAt }) => withdrawAt === null),
      }
    case 'a channel is closed while a call is held':
      return {
        ...store,
        leaseChannels: async (due, request) => [
          ...(await store.leaseChannels(due, request)),
          ...(due.due === 'refund' ? closingInUse(disk) : []),
        ],
      }
    case 'a refund is computed from an old voucher':
      return {
        ...store,
        leaseChannels: async (due, request) => {
          const leased = await store.leaseChannels(due, request)
          return due.due === 'refund' ? leased.map(halfCharged) : leased
        },
        publishVoucher: async (id, from) => {
          const published = await store.publishVoucher(id, from)
          return published && { ...published, channel: halfCharged(published.channel) }
        },
      }
    case 'a claim counts twice after a reorganization':
      return { ...store, applyToChannel: countingTwice(store, disk) }
    default:
      return store
  }
}

function closingInUse(disk: MemoryDisk): readonly ChannelRecord[] {
  const channels = [...disk.channels.values()]
  return channels.filter(({ status, reserved }) => status === 'closing' && reserved > 0n)
}

function halfCharged(channel: ChannelRecord): ChannelRecord {
  const unclaimed = channel.charged - channel.claimed
  return { ...channel, charged: atomicUsdc(channel.claimed + unclaimed / 2n) }
}

/** Takes a claim from its channel and leaves it among the movements. */
function countingTwice(
  { applyToChannel }: LedgerStore,
  disk: MemoryDisk,
): LedgerStore['applyToChannel'] {
  return async (channel, event) => {
    const outcome = await applyToChannel(channel, event)
    if (event.type !== 'claim_lost') return outcome
    const movements = [...disk.movements].filter(([, { movement }]) => movement.kind === 'claim')
    disk.commit({
      movements: movements.map(([index, { movement, entries }]) => {
        return [index, { movement: { ...movement, lost: false }, entries }]
      }),
    })
    return outcome
  }
}

/** Raises what open channels have signed or deposited while an operation runs. */
export function withPlantedCredit<Result>(
  { plantedBug, disk }: SimContext,
  operation: () => Result,
): Result {
  const field = plantedField(plantedBug)
  if (field === null) return operation()
  const open = [...disk.channels.values()].filter(({ status }) => status === 'open')
  const raise = (by: bigint): void => {
    const channels = open.flatMap(({ id }) => disk.channels.get(id) ?? [])
    disk.commit({
      channels: channels.map((channel) => {
        return { ...channel, [field]: sum([channel[field], atomicUsdc(by)]) }
      }),
    })
  }
  raise(plantedCredit)
  try {
    return operation()
  } finally {
    raise(-plantedCredit)
  }
}

function plantedField(plantedBug: SimContext['plantedBug']): 'deposited' | 'signed' | null {
  if (plantedBug === 'deposits are not asked for') return 'deposited'
  return plantedBug === 'a voucher below what is held is taken' ? 'signed' : null
}

const plantedCredit = 10n ** 12n
