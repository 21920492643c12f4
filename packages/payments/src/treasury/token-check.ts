import type { Hex } from '@farebox/ledger'
import type { PaymentPorts } from '../policy/payment-ports.ts'

const intervalMs = 60_000

/**
 * Checks once a minute whether the token's issuer has stopped its transfers, or those of the treasury:
 * then every payment would be refused, one payer after the other. Sales stop meanwhile.
 */
export function createTokenCheck(
  { chain, clock, notify }: Pick<PaymentPorts, 'chain' | 'clock' | 'notify'>,
  { asset, treasury }: { readonly asset: Hex; readonly treasury: Hex },
): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY
  const stopped = new Set<'token_paused' | 'treasury_blacklisted'>()

  return async function checkToken() {
    if (clock() - checkedAt < intervalMs) return
    checkedAt = clock()
    const { isPaused, isBlocked } = await chain.tokenControls(asset, treasury)
    const states = { token_paused: isPaused, treasury_blacklisted: isBlocked }
    for (const reason of ['token_paused', 'treasury_blacklisted'] as const) {
      if (states[reason] === stopped.has(reason)) continue
      if (states[reason]) stopped.add(reason)
      else stopped.delete(reason)
      notify({ type: states[reason] ? 'sales_stopped' : 'sales_resumed', reason })
    }
  }
}
