import { atomicUsdc, formatUsdc, type Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'

/** The part of the budget that one call holds. */
export type Reservation = {
  readonly amount: Usdc
  /** Sets the final cost and releases the rest. */
  setCost(cost: Usdc): void
  /** Whether the cost is still unknown. */
  isOpen(): boolean
}

export type SpendBudget = {
  /**
   * Reserves `amount` before anything is signed. Throws `amount_above_call_cap` or
   * `amount_above_total_cap`, and reserves nothing in that case.
   */
  reserve(amount: Usdc, callCap: Usdc): Reservation
  /** Whether `amount` fits in the remaining total. */
  fits(amount: Usdc): boolean
  /** The cost of finished calls plus the reservations of open ones. */
  spent(): Usdc
}

/** A budget that concurrent calls cannot exceed together: an amount is reserved before it is signed. */
export function createSpendBudget(totalCap: Usdc): SpendBudget {
  let spent = 0n
  const fits = (amount: Usdc): boolean => spent + amount <= totalCap
  return {
    fits,
    reserve(amount, callCap) {
      if (amount > callCap) {
        throw new FareboxError(
          'amount_above_call_cap',
          `The call costs up to ${formatUsdc(amount)} USDC, more than the limit of ${formatUsdc(callCap)} USDC for one call.`,
        )
      }
      if (!fits(amount)) {
        throw new FareboxError(
          'amount_above_total_cap',
          `The call costs up to ${formatUsdc(amount)} USDC; ${formatUsdc(atomicUsdc(totalCap - spent))} of the total of ${formatUsdc(totalCap)} USDC is left.`,
        )
      }
      spent += amount
      let counted: bigint = amount
      let open = true
      return {
        amount,
        setCost(cost) {
          spent += cost - counted
          counted = cost
          open = false
        },
        isOpen: () => open,
      }
    },
    spent: () => atomicUsdc(spent),
  }
}
