import {
  type FreeBill,
  type FreeHold,
  type FreeHoldOutcome,
  type FreeLimits,
  type FreeQuotaStore,
  type FreeUse,
  type FreeUsed,
  freeAddressesKeptMs,
} from '../store/free-quota-store.ts'
import type { Around } from './around.ts'
import { compared } from './compared.ts'
import type { MemoryDisk } from './memory-disk.ts'

/** Free quotas over a disk in memory. */
export function memoryFreeQuota(disk: MemoryDisk, around: Around): FreeQuotaStore {
  return {
    holdFree: (hold, limits) => around(() => holdFree(disk, hold, limits)),
    billFree: (hold, bill) => around(() => billFree(disk, hold, bill)),
    releaseFree: (hold) => around(() => addUsed(disk, hold, -hold.amount)),
    freeUseByDay: ({ from, to }) =>
      around(() =>
        [...disk.freeUse.values()]
          .filter(({ day }) => day >= from && day < to)
          .toSorted((a, b) => a.day - b.day || compared(a.model, b.model)),
      ),
  }
}

function holdFree(disk: MemoryDisk, hold: FreeHold, limits: FreeLimits): FreeHoldOutcome {
  const { used, usedInAll } = usedOf(disk, hold)
  const isWithin =
    used + hold.amount <= limits.perAddress && usedInAll + hold.amount <= limits.inAll
  if (!isWithin) return { status: 'exceeded', used, usedInAll }
  return { status: 'held', ...addUsed(disk, hold, hold.amount) }
}

function billFree(disk: MemoryDisk, hold: FreeHold, bill: FreeBill): FreeUsed {
  const { model, cost, providerCost } = bill
  const key = `${hold.day} ${model}`
  const before = disk.freeUse.get(key) ?? { calls: 0, cost: 0n, providerCost: 0n }
  const use: FreeUse = {
    day: hold.day,
    model,
    calls: before.calls + 1,
    cost: before.cost + cost,
    providerCost: before.providerCost + (providerCost ?? 0n),
  }
  disk.commit({ freeUse: [[key, use]] })
  return addUsed(disk, hold, cost - hold.amount)
}

/** Adds to what was used, or takes from it if negative. */
function addUsed(disk: MemoryDisk, hold: FreeHold, amount: bigint): FreeUsed {
  const before = usedOf(disk, hold)
  const after = { used: before.used + amount, usedInAll: before.usedInAll + amount }
  disk.commit({
    freeUsed: [
      [`${hold.day} ${hold.address}`, after.used],
      [`${hold.day} `, after.usedInAll],
    ],
  })
  return after
}

function usedOf(disk: MemoryDisk, { day, address }: FreeHold): FreeUsed {
  return {
    used: disk.freeUsed.get(`${day} ${address}`) ?? 0n,
    usedInAll: disk.freeUsed.get(`${day} `) ?? 0n,
  }
}

/** The keys of days whose addresses are no longer kept. */
export function oldFreeUse(disk: MemoryDisk, now: number): readonly string[] {
  return [...disk.freeUsed.keys()].filter(
    (key) => Number.parseInt(key, 10) <= now - freeAddressesKeptMs,
  )
}
