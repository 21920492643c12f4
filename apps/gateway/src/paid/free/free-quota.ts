import type { FreeHold, FreeUsed, LedgerStore } from '@farebox/ledger'
import { atomicUsdc, greatest, least, toUsdcCeil, type Usd, type Usdc } from '@farebox/money'

/** What network addresses get without payment, day by day. */
export type FreeQuota = {
  /** Holds the most that a call can cost, if the rest of the day covers it. */
  hold(address: string, amount: Usdc): Promise<FreeHoldResult>
  /** Bills a call to the quota, and returns what remains. */
  bill(hold: FreeHold, call: FreeCallCost): Promise<Usdc>
  /** Returns what a call held that cost nothing, and what remains. */
  release(hold: FreeHold): Promise<Usdc>
  /** What a call costs that a provider refused because of its client. */
  readonly refusedCharge: Usdc
}

export type FreeHoldResult =
  | { readonly status: 'held'; readonly hold: FreeHold; readonly remaining: Usdc }
  | { readonly status: 'exceeded'; readonly remaining: Usdc }

export type FreeCallCost = {
  readonly model: string
  readonly cost: Usdc
  /** What the provider bills, in picodollars; undefined where that is not known. */
  readonly upstream: Usd | undefined
}

export type FreeQuotaOptions = {
  readonly store: Pick<LedgerStore, 'holdFree' | 'billFree' | 'releaseFree'>
  readonly perAddress: Usdc
  readonly inAll: Usdc
  readonly minimumCharge: Usdc
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called once on each day on which a call is refused because the total is used up. */
  readonly onUsedUp: (usedInAll: Usdc) => void
}

const dayMs = 86_400_000

/** Opens the free quota in the ledger's database, which all replicas share and restarts keep. */
export function createFreeQuota(options: FreeQuotaOptions): FreeQuota {
  const { store, perAddress, inAll, minimumCharge, now, onUsedUp } = options
  let usedUpOn: number | undefined

  const remainingOf = ({ used, usedInAll }: FreeUsed): Usdc =>
    atomicUsdc(greatest(0n, least(perAddress - used, inAll - usedInAll)))

  return {
    refusedCharge: minimumCharge,
    hold: async (address, amount) => {
      const time = now()
      const hold = { day: time - (time % dayMs), address, amount }
      const outcome = await store.holdFree(hold, { perAddress, inAll })
      const remaining = remainingOf(outcome)
      if (outcome.status === 'held') return { status: 'held', hold, remaining }
      const isTotal = outcome.used + amount <= perAddress
      if (isTotal && usedUpOn !== hold.day) {
        usedUpOn = hold.day
        onUsedUp(atomicUsdc(outcome.usedInAll))
      }
      return { status: 'exceeded', remaining }
    },
    bill: async (hold, { model, cost, upstream }) => {
      const providerCost = upstream === undefined ? null : toUsdcCeil(upstream)
      return remainingOf(await store.billFree(hold, { model, cost, providerCost }))
    },
    release: async (hold) => remainingOf(await store.releaseFree(hold)),
  }
}
