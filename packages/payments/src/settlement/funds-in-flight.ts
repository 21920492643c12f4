import type { Authorization, Hex } from '@farebox/ledger'
import { sum, type Usdc } from '@farebox/money'

/**
 * What each payer has promised to payments of this process that are being settled: one balance does
 * not cover more than one of them. It is kept in memory, per replica.
 */
export type FundsInFlight = {
  /** What the payer's other authorizations hold. */
  heldBeside(authorization: Authorization): Usdc
  /** Holds an authorization's value until it is released or expires. */
  hold(authorization: Authorization): () => void
}

type Held = { readonly value: Usdc; readonly until: number }

export function createFundsInFlight(clock: () => number): FundsInFlight {
  const byPayer = new Map<Hex, Map<Hex, Held>>()

  return {
    heldBeside({ from, nonce }) {
      const now = clock()
      const held = [...(byPayer.get(from) ?? [])]
      return sum(
        held
          .filter(([other, { until }]) => other !== nonce && until > now)
          .map(([, { value }]) => value),
      )
    },
    hold({ from, nonce, value, validBefore }) {
      const held = byPayer.get(from) ?? new Map<Hex, Held>()
      // A copy of the same request holds it already, and releases it.
      if (held.has(nonce)) return () => undefined
      held.set(nonce, { value, until: validBefore * 1000 })
      byPayer.set(from, held)
      prune(byPayer, clock())
      return () => {
        held.delete(nonce)
        if (held.size === 0 && byPayer.get(from) === held) byPayer.delete(from)
      }
    },
  }
}

/** How many payers are remembered before those whose authorizations expired are forgotten. */
const prunedAbove = 1_000

function prune(byPayer: Map<Hex, Map<Hex, Held>>, now: number): void {
  if (byPayer.size <= prunedAbove) return
  for (const [payer, held] of byPayer) {
    if ([...held.values()].every(({ until }) => until <= now)) byPayer.delete(payer)
  }
}
