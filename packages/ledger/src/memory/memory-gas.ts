import { sum } from '@farebox/money'
import type { GasOfDay, GasPaid, GasStore } from '../store/gas-store.ts'
import { dayMs } from '../store/ledger-reports.ts'
import type { Around } from './around.ts'
import { compared } from './compared.ts'
import type { MemoryDisk } from './memory-disk.ts'

/** What gas cost, over a disk in memory. */
export function memoryGas(disk: MemoryDisk, around: Around): GasStore {
  return {
    recordGas: (paid) =>
      around(() => {
        disk.commit({ gas: paid.map((one) => [nonceText(one), lowerCase(one)]) })
      }),
    gasByDay: ({ from, to }) =>
      around(() => daySums([...disk.gas.values()].filter(({ at }) => at >= from && at < to))),
    gasOf: (transaction) =>
      around(() =>
        [...disk.gas.values()].find((one) => one.transaction === transaction.toLowerCase()),
      ),
  }
}

function nonceText({ chainId, sender, nonce }: GasPaid): string {
  return `${chainId}:${sender.toLowerCase()}:${nonce}`
}

function lowerCase({ sender, transaction, ...paid }: GasPaid): GasPaid {
  return {
    ...paid,
    sender: `0x${sender.slice(2).toLowerCase()}`,
    transaction: `0x${transaction.slice(2).toLowerCase()}`,
  }
}

function daySums(paid: readonly GasPaid[]): readonly GasOfDay[] {
  const groups = Map.groupBy(
    paid.toSorted((a, b) => a.nonce - b.nonce),
    ({ at, purpose, sender }) => `${at - (at % dayMs)} ${purpose} ${sender}`,
  )
  const days = [...groups.values()].flatMap((group) => sumOf(group) ?? [])
  return days.toSorted(
    (a, b) => a.day - b.day || compared(a.purpose, b.purpose) || compared(a.sender, b.sender),
  )
}

/** Of one day, purpose and sender, in the order of their nonces. */
function sumOf(paid: readonly GasPaid[]): GasOfDay | undefined {
  const [first, last] = [paid[0], paid.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return {
    day: first.at - (first.at % dayMs),
    sender: first.sender,
    purpose: first.purpose,
    transactions: paid.length,
    reverted: paid.filter(({ succeeded }) => !succeeded).length,
    gas: sum(paid.map(({ gas }) => gas)),
    fee: sum(paid.map(({ fee }) => fee)),
    firstNonce: first.nonce,
    lastNonce: last.nonce,
  }
}
