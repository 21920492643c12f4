import { atomicUsdc, type Usdc } from '@farebox/money'

/**
 * What a provider may have billed for a call whose request can have caused its failure: `most` at the
 * most, and usually much less, since it did not finish. A tenth limits such calls of a network address,
 * and seldom refuses an agent whose provider hangs.
 */
export function provokedCost(most: Usdc): Usdc {
  return atomicUsdc(most / 10n)
}
