import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { SignedRefund } from '@farebox/payments/chain'
import type { SimChain } from './chain.ts'

/** Observes what no single process remembers, and collects violations of the invariants. */
export type InvariantChecker = {
  readonly onUpstreamCall: (
    payment: PaymentRecord,
    when: 'before its proof' | 'after its proof',
  ) => void
  /** A call that is paid from a channel reaches the upstream. */
  onChannelCall(payment: PaymentRecord): void
  readonly onSigned: (refund: Omit<SignedRefund, 'signature'>) => void
  /** A client received a 402 and waits for nothing else: its authorization will not be used. */
  onPaymentRequired(key: string): void
  /** A replica decided on a 402 for a request that arrived after its authorization was claimed. */
  onRefusedAfterClaim(key: string): void
  /** How often the upstream was called for an authorization. */
  calls(key: string): number
  readonly violations: readonly string[]
  report(violation: string): void
}

export function authorizationKey({
  from,
  nonce,
}: {
  readonly from: Hex
  readonly nonce: Hex
}): string {
  return `${from}:${nonce}`
}

export function createInvariantChecker(chain: SimChain): InvariantChecker {
  const violations: string[] = []
  const calls = new Map<string, number>()
  const unpaid = new Set<string>()
  /** Called before the proof: the settlement may then be rejected. */
  const overlapping = new Set<string>()
  const signed = new Map<Hex, string>()
  const report = (violation: string): void => {
    violations.push(violation)
  }
  return {
    violations,
    report,
    calls: (key) => calls.get(key) ?? 0,
    onUpstreamCall({ id, authorization, settlement }, when) {
      const key = authorizationKey(authorization)
      const count = (calls.get(key) ?? 0) + 1
      calls.set(key, count)
      if (count > 1) report(`${id}: the upstream was called ${count} times`)
      if (when === 'before its proof') {
        overlapping.add(key)
        return
      }
      if (unpaid.has(key)) report(`${id}: the upstream was called after a 402`)
      if (settlement === null) report(`${id}: the upstream was called without a proof`)
      const log = chain.use(authorization.from, authorization.nonce)
      const paysTreasury = log?.call.kind === 'transfer' && log.call.to === authorization.to
      // A reorganization may have undone the transfer since it was proven: the proof was valid then.
      const isKnownBlock = settlement !== null && chain.wasMined(settlement.blockHash)
      if (!paysTreasury && !isKnownBlock) report(`${id}: the upstream was called without a payment`)
    },
    onChannelCall({ id, authorization }) {
      const key = authorizationKey(authorization)
      const count = (calls.get(key) ?? 0) + 1
      calls.set(key, count)
      if (count > 1) report(`${id}: the upstream was called ${count} times`)
    },
    onSigned({ nonce, to, value }) {
      const terms = `${value} to ${to}`
      const before = signed.get(nonce)
      if (before !== undefined && before !== terms) {
        report(`refund ${nonce} was signed for ${before}, then for ${terms}`)
      }
      signed.set(nonce, terms)
    },
    onPaymentRequired(key) {
      unpaid.add(key)
    },
    onRefusedAfterClaim(key) {
      unpaid.add(key)
      if (calls.has(key) && !overlapping.has(key))
        report(`${key}: a 402 after the upstream was called`)
    },
  }
}
