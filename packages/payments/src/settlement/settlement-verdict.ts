import type { Hex, PaymentRecord, TransferProof } from '@farebox/ledger'
import type { AuthorizationUse, ChainReader } from '../chain/chain.ts'

/** What the chain says of a payment's settlement. */
export type SettlementVerdict =
  /** The authorisation's log and its transfer to us of the exact value. */
  | { readonly status: 'proven'; readonly proof: TransferProof }
  /** Executed before we claimed it: somebody sold or sent it earlier. Never served. */
  | { readonly status: 'early'; readonly proof: TransferProof }
  /** Its nonce is burnt without a transfer to us. */
  | {
      readonly status: 'refused'
      readonly reason: 'authorization_canceled' | 'nonce_used_elsewhere'
    }
  /** Its time is over on the chain, with a margin, and nothing happened. */
  | { readonly status: 'expired' }
  /** It may still be executed. */
  | { readonly status: 'open'; readonly chainTime: number }

export type SettlementRules = {
  /** How long after `validBefore`, in the chain's own time, an unused authorisation is void. */
  readonly voidMarginSeconds: number
}

/** A transaction that is said to settle is looked at first. */
type SettlementSearch = SettlementRules & { readonly hint?: Hex | null }

/**
 * Reads the chain's logs for a payment's settlement.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readSettlement(
  chain: ChainReader,
  payment: PaymentRecord,
  rules: SettlementSearch,
): Promise<SettlementVerdict> {
  const { asset, from, nonce } = payment.authorization
  const use = await chain.authorizationUse({
    asset,
    from,
    nonce,
    fromBlock: payment.intentBlock,
    hint: rules.hint ?? payment.settlementHint,
  })
  return judgeSettlement(payment, use, rules)
}

/**
 * Only the log pair of the authorisation and its transfer proves a payment: a used nonce alone is
 * also left by a cancelled authorisation or by a twin that pays somebody else.
 */
function judgeSettlement(
  payment: PaymentRecord,
  use: AuthorizationUse,
  rules: SettlementRules,
): SettlementVerdict {
  const { to, value, validBefore } = payment.authorization
  switch (use.status) {
    case 'transferred':
      if (use.to !== to || use.value !== value) {
        return { status: 'refused', reason: 'nonce_used_elsewhere' }
      }
      return { status: isEarly(payment, use.proof) ? 'early' : 'proven', proof: use.proof }
    case 'canceled':
      return { status: 'refused', reason: 'authorization_canceled' }
    case 'unused':
      return use.head.timestamp > validBefore + rules.voidMarginSeconds
        ? { status: 'expired' }
        : { status: 'open', chainTime: use.head.timestamp }
  }
}

/** Whether a transfer lies before the payment's claim, so that it pays for nothing here. */
function isEarly(payment: PaymentRecord, proof: TransferProof): boolean {
  return proof.block <= payment.intentBlock
}
