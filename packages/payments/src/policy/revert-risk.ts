import type { PaymentId } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { PaymentPolicy } from './payment-policy.ts'
import { createUnservedBudget } from './unserved-budget.ts'

/** A settlement that may revert, counted from before it is sent. */
export type HeldRisk = {
  readonly status: 'held'
  /** The settlement did not revert. Has no effect after `lose`. */
  release(): void
  /** The settlement reverted: it counts for an hour. */
  lose(): void
  /** The settlement used this much gas: what exceeds the limit for a key counts for an hour. */
  spend(payment: Paid, gas: bigint): void
}

type Paid = { readonly id: PaymentId }

/**
 * Settlements in progress leave no room, or reverted ones leave none until then, in milliseconds
 * since 1970.
 */
export type NoRoom =
  | { readonly status: 'in_use' }
  | {
      readonly status: 'used_up'
      readonly by: 'reverts' | 'gas'
      readonly of: 'address' | 'all'
      readonly until: number
    }

/**
 * Limits settlements from wallets with code, which may pass the check and then revert, or pay and use
 * much gas.
 */
export type RevertRisk = {
  /** `clientAddress` is the network address of the client, if it is known. */
  take(clientAddress: string | undefined): HeldRisk | NoRoom
  /** A payment was charged this cost: gas that the cost covers does not count. */
  paid(payment: Paid, cost: Usdc): void
}

type Stake = { readonly clientAddress: string | undefined; until: number | null }

const hourMs = 3_600_000
/** What an atomic unit of USDC buys at 0.005 gwei and $3,000 an ETH, rounded down. */
const gasPerUnit = 66

type Rules = Pick<
  PaymentPolicy,
  | 'revertsPerAddress'
  | 'revertsPerHour'
  | 'unservedPerAddress'
  | 'unservedPerHour'
  | 'settlementGas'
>

/**
 * Counts settlements in progress and those that reverted within an hour, per network address and in
 * total, in this process. New payers, new code and many requests at once get no more than the limits.
 *
 * Ordinary wallets use little more gas than keys. What code uses beyond that, for calls that do not pay
 * for it, is limited to the gas of the unserved payments that a network address may have.
 */
export function createRevertRisk({
  policy,
  clock,
}: {
  readonly policy: Rules
  readonly clock: () => number
}): RevertRisk {
  const { revertsPerAddress, revertsPerHour, settlementGas } = policy
  const stakes = new Set<Stake>()
  const excess = createUnservedBudget({ policy: inGas(policy), clock })

  function obstacle(of: 'address' | 'all', clientAddress?: string): NoRoom | undefined {
    const counted = [...stakes].filter(
      (stake) => of === 'all' || stake.clientAddress === clientAddress,
    )
    const allowed = of === 'all' ? revertsPerHour : revertsPerAddress
    if (counted.length < allowed) return undefined
    const ends = counted.flatMap(({ until }) => until ?? []).toSorted((a, b) => a - b)
    // When this many have expired, there is room for one more.
    const until = ends[ends.length - allowed]
    return until === undefined
      ? { status: 'in_use' }
      : { status: 'used_up', by: 'reverts', of, until }
  }

  return {
    take(clientAddress) {
      for (const stake of stakes) {
        if (stake.until !== null && stake.until <= clock()) stakes.delete(stake)
      }
      const ofAddress = clientAddress === undefined ? undefined : obstacle('address', clientAddress)
      const full = ofAddress ?? obstacle('all')
      if (full !== undefined) return full
      const used = excess.refusalOf(clientAddress)
      if (used !== undefined) return { status: 'used_up', by: 'gas', ...used }
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
        spend: (payment, gas) => {
          const beyond = Number(gas - settlementGas.key)
          if (beyond > 0) excess.count(payment, clientAddress, beyond)
        },
      }
    },
    paid: (payment, cost) => {
      excess.forgive(payment, Number(cost) * gasPerUnit)
    },
  }
}

function inGas({ unservedPerAddress, unservedPerHour, settlementGas }: Rules) {
  const gas = Number(settlementGas.key)
  return { unservedPerAddress: unservedPerAddress * gas, unservedPerHour: unservedPerHour * gas }
}
