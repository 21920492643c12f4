import { atomicUsdc, formatUsdc, type Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'

/** One call's part of the budget. */
export type Reservation = {
  readonly amount: Usdc
  /** What the call has cost in the end: the rest is free again. */
  setCost(cost: Usdc): void
  /** Whether the cost is not known yet. */
  isOpen(): boolean
}

export type SpendBudget = {
  /**
   * Sets `amount` aside before anything is signed. Throws `amount_above_call_cap` or
   * `amount_above_total_cap`, and then nothing is set aside.
   */
  reserve(amount: Usdc, callCap: Usdc): Reservation
  /** Whether `amount` is left in total. */
  fits(amount: Usdc): boolean
  /** What calls have cost, and may still cost. */
  spent(): Usdc
}

/** A total that concurrent calls cannot exceed together: an amount counts from before its signature. */
export function createSpendBudget(totalCap: Usdc): SpendBudget {
  let spent = 0n
  const fits = (amount: Usdc): boolean => spent + amount <= totalCap
  return {
    fits,
    reserve(amount, callCap) {
      if (amount > callCap) {
        throw new FareboxError(
          'amount_above_call_cap',
          `The call costs up to ${formatUsdc(amount)} USDC, more than the ${formatUsdc(callCap)} that one call may.`,
        )
      }
      if (!fits(amount)) {
        throw new FareboxError(
          'amount_above_total_cap',
          `The call costs up to ${formatUsdc(amount)} USDC; of ${formatUsdc(totalCap)} in total, ${formatUsdc(atomicUsdc(totalCap - spent))} are left.`,
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
