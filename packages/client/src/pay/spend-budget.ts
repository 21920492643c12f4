import { atomicUsdc, formatDecimal, least, sum, type Usdc } from '@farebox/money'
import { type ExceededCap, FareboxError } from '../farebox-error.ts'

/** The part of the budget that one call holds. */
export type Reservation = {
  readonly amount: Usdc
  /** Sets the final cost, at most the amount, and releases the rest. */
  setCost(cost: Usdc): void
  /** Whether the cost is still unknown. */
  isOpen(): boolean
}

export type SpendCaps = {
  /** The most that calls begun within any hour may cost together. */
  readonly perHour: Usdc
  readonly total: Usdc
}

export type SpendBudget = {
  /**
   * Reserves `amount` before anything is signed. Throws `spend_cap_exceeded` with the exceeded cap,
   * and reserves nothing in that case.
   */
  reserve(amount: Usdc, callCap: Usdc): Reservation
  /** Whether `amount` fits in what is left of the hour and of the total. */
  fits(amount: Usdc): boolean
  /** The cost of finished calls plus the reservations of open ones. */
  spent(): Usdc
}

type Entry = { readonly at: number; counted: Usdc }

const hourMs = 3_600_000
const scopes = { call: 'for one call', hour: 'for one hour', total: 'in total' } as const

/**
 * A budget that concurrent calls cannot exceed together: an amount is reserved before it is signed.
 * `now` is in milliseconds.
 */
export function createSpendBudget(caps: SpendCaps, now: () => number): SpendBudget {
  let spent = atomicUsdc(0n)
  let recent: readonly Entry[] = []

  function exceeded(price: Usdc): ExceededCap | undefined {
    recent = recent.filter(({ at }) => at > now() - hourMs)
    const inHour = sum(recent.map(({ counted }) => counted))
    const { total, perHour } = caps
    return (
      capProblem({ scope: 'total', limit: total, left: atomicUsdc(total - spent), price }) ??
      capProblem({ scope: 'hour', limit: perHour, left: atomicUsdc(perHour - inHour), price })
    )
  }

  return {
    fits: (amount) => exceeded(amount) === undefined,
    reserve(price, callCap) {
      const cap =
        capProblem({ scope: 'call', limit: callCap, left: callCap, price }) ?? exceeded(price)
      if (cap !== undefined) throw capError(cap)
      const entry: Entry = { at: now(), counted: price }
      recent = [...recent, entry]
      spent = atomicUsdc(spent + price)
      let open = true
      return {
        amount: price,
        setCost(cost) {
          const counted = least(cost, price)
          spent = atomicUsdc(spent + counted - entry.counted)
          entry.counted = counted
          open = false
        },
        isOpen: () => open,
      }
    },
    spent: () => spent,
  }
}

function capProblem(cap: ExceededCap): ExceededCap | undefined {
  return cap.price > cap.left ? cap : undefined
}

function capError(cap: ExceededCap): FareboxError {
  const { scope, limit, left, price } = cap
  const rest = scope === 'call' ? '' : `; ${usdc(left)} of it is left`
  return new FareboxError(
    'spend_cap_exceeded',
    `The call costs up to ${usdc(price)} USDC. The cap is ${usdc(limit)} USDC ${scopes[scope]}${rest}. Nothing was paid.`,
    { cap },
  )
}

function usdc(amount: bigint): string {
  return formatDecimal(amount, 6)
}
