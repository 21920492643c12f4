import type { Hex } from '@farebox/ledger'
import { keccak256 } from 'viem'
import type { PaymentPolicy } from '../policy/payment-policy.ts'

/** A payer, and the code that decides about its signatures; null for a key. */
export type PayerIdentity = { readonly payer: Hex; readonly code: Hex | null }

/**
 * Settlements that reverted on the chain, for which only the relayer paid, in gas.
 * They are counted in memory, per payer and per code: a payer whose code judges a simulation
 * otherwise than a block is refused after a few of them.
 */
export type RevertBudget = {
  count(identity: PayerIdentity): void
  /** Until when this payer is refused, in milliseconds since 1970; null if it is not. */
  refusedUntil(identity: PayerIdentity): number | null
}

type Rules = Pick<PaymentPolicy, 'revertWindowMs' | 'revertsPerPayer' | 'revertsPerCode'>

export function createRevertBudget(rules: Rules, clock: () => number): RevertBudget {
  /** The times of the last reverts, by payer and by hash of code. */
  const reverts = new Map<string, readonly number[]>()

  function recent(key: string): readonly number[] {
    return (reverts.get(key) ?? []).filter((at) => at + rules.revertWindowMs > clock())
  }

  /** The revert that has to leave the window before one more is allowed. */
  function blockedUntil(key: string, allowed: number): number | null {
    const at = recent(key).at(-allowed)
    return at === undefined ? null : at + rules.revertWindowMs
  }

  return {
    count({ payer, code }) {
      for (const key of reverts.keys()) if (recent(key).length === 0) reverts.delete(key)
      for (const key of code === null ? [payer] : [payer, keccak256(code)]) {
        reverts.set(key, [...recent(key), clock()])
      }
    },
    refusedUntil({ payer, code }) {
      const times = [
        blockedUntil(payer, rules.revertsPerPayer),
        code === null ? null : blockedUntil(keccak256(code), rules.revertsPerCode),
      ].filter((time) => time !== null)
      return times.length === 0 ? null : Math.max(...times)
    },
  }
}
