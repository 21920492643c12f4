import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { SignedRefund } from '@farebox/payments/chain'
import type { SimChain } from './chain.ts'

/** Sees what no process remembers, and says what must never be. */
export type Witness = {
  readonly onUpstreamCall: (payment: PaymentRecord) => void
  readonly onSigned: (refund: Omit<SignedRefund, 'signature'>) => void
  /** A client was told that its authorisation is not used. */
  onRefusal(key: string): void
  /** How often the upstream was called for an authorisation. */
  calls(key: string): number
  readonly violations: readonly string[]
  accuse(violation: string): void
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

export function createWitness(chain: SimChain): Witness {
  const violations: string[] = []
  const calls = new Map<string, number>()
  const refused = new Set<string>()
  const signed = new Map<Hex, string>()
  const accuse = (violation: string): void => {
    violations.push(violation)
  }
  return {
    violations,
    accuse,
    calls: (key) => calls.get(key) ?? 0,
    onUpstreamCall({ id, authorization, settlement }) {
      const key = authorizationKey(authorization)
      const count = (calls.get(key) ?? 0) + 1
      calls.set(key, count)
      if (count > 1) accuse(`${id}: the upstream was called ${count} times`)
      if (refused.has(key)) accuse(`${id}: the upstream was called after a 402`)
      if (settlement === null) accuse(`${id}: the upstream was called without a proof`)
      const log = chain.use(authorization.from, authorization.nonce)
      const paysUs = log?.call.kind === 'transfer' && log.call.to === authorization.to
      // A transfer that a reorganisation undid since it was proven was true when it counted.
      const isKnownBlock = settlement !== null && chain.wasMined(settlement.blockHash)
      if (!paysUs && !isKnownBlock) accuse(`${id}: the upstream was called and nothing was paid`)
    },
    onSigned({ nonce, to, value }) {
      const meaning = `${value} to ${to}`
      const before = signed.get(nonce)
      if (before !== undefined && before !== meaning) {
        accuse(`refund ${nonce} was signed for ${before}, then for ${meaning}`)
      }
      signed.set(nonce, meaning)
    },
    onRefusal(key) {
      refused.add(key)
      if (calls.has(key)) accuse(`${key}: a 402 after the upstream was called`)
    },
  }
}
