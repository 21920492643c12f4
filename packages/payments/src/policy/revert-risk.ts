import type { PaymentPolicy } from './payment-policy.ts'

/** A settlement that may revert, counted from before it is sent. */
export type HeldRisk = {
  readonly status: 'held'
  /** The settlement did not revert. Has no effect after `lose`. */
  release(): void
  /** The settlement reverted: it counts for an hour. */
  lose(): void
}

/**
 * Settlements in progress leave no room, or reverted ones leave none until then, in milliseconds
 * since 1970.
 */
export type NoRoom =
  | { readonly status: 'in_use' }
  | { readonly status: 'used_up'; readonly of: 'address' | 'all'; readonly until: number }

/** Limits settlements from wallets with code, which may pass the check and then revert. */
export type RevertRisk = {
  /** `clientAddress` is the network address of the client, if it is known. */
  take(clientAddress: string | undefined): HeldRisk | NoRoom
}

type Stake = { readonly clientAddress: string | undefined; until: number | null }

const hourMs = 3_600_000

/**
 * Counts settlements in progress and those that reverted within an hour, by network address and in
 * all, in this process. New payers, new code and many requests at once get no more than the limits.
 */
export function createRevertRisk({
  policy: { revertsPerAddress, revertsPerHour },
  clock,
}: {
  readonly policy: Pick<PaymentPolicy, 'revertsPerAddress' | 'revertsPerHour'>
  readonly clock: () => number
}): RevertRisk {
  const stakes = new Set<Stake>()

  function obstacle(of: 'address' | 'all', clientAddress?: string): NoRoom | undefined {
    const counted = [...stakes].filter(
      (stake) => of === 'all' || stake.clientAddress === clientAddress,
    )
    const allowed = of === 'all' ? revertsPerHour : revertsPerAddress
    if (counted.length < allowed) return undefined
    const ends = counted.flatMap(({ until }) => until ?? []).toSorted((a, b) => a - b)
    // When this many have expired, there is room for one more.
    const until = ends[ends.length - allowed]
    return until === undefined ? { status: 'in_use' } : { status: 'used_up', of, until }
  }

  return {
    take(clientAddress) {
      for (const stake of stakes) {
        if (stake.until !== null && stake.until <= clock()) stakes.delete(stake)
      }
      const ofAddress = clientAddress === undefined ? undefined : obstacle('address', clientAddress)
      const full = ofAddress ?? obstacle('all')
      if (full !== undefined) return full
      const stake: Stake = { clientAddress, until: null }
      stakes.add(stake)
      return {
        status: 'held',
        release: () => {
          if (stake.until === null) stakes.delete(stake)
        },
        lose: () => {
          stake.until = clock() + hourMs
        },
      }
    },
  }
}
