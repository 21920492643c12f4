import type { Hex, PaymentRecord, TransferProof } from '@farebox/ledger'
import type { AuthorizationUse, ChainReader } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { PaymentPolicy } from '../policy/payment-policy.ts'
import { findSaleMark, saleMark, soldElsewhere } from './sale-mark.ts'

/** What the chain shows about a payment's settlement. */
export type SettlementVerdict =
  /** The authorization's log and its transfer to us of the exact value. */
  | { readonly status: 'proven'; readonly proof: TransferProof }
  /** Executed before we claimed it: it was sold or sent earlier. Never served. */
  | { readonly status: 'early'; readonly proof: TransferProof }
  /** Its nonce was used up without a transfer to us. */
  | {
      readonly status: 'rejected'
      readonly reason: 'authorization_canceled' | 'nonce_used_elsewhere' | typeof soldElsewhere
    }
  /** It expired on the chain, with a margin, and nothing happened. */
  | { readonly status: 'expired' }
  /** It can still be executed. */
  | { readonly status: 'open'; readonly chainTime: number }

export type SettlementRules = Pick<PaymentPolicy, 'voidMarginSeconds'>

type SettlementSearch = SettlementRules & {
  /** A transaction that may have settled the payment, which is read first. */
  readonly hint?: Hex | null
  /** The account that settles for every ledger of the treasury: its transactions name what they sold. */
  readonly relayer?: Hex | undefined
  /** The transaction that was just sent for this payment, which no other ledger has sold. */
  readonly sent?: Hex | null
}

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
  const verdict = judgeSettlement(payment, use, rules)
  if (payment.kind === 'channel_deposit') return await judgeDeposit(chain, payment, verdict)
  if (verdict.status !== 'proven') return verdict
  return (await isSoldElsewhere(chain, payment, { ...rules, proof: verdict.proof }))
    ? { status: 'rejected', reason: soldElsewhere }
    : verdict
}

/** Whether the relayer sent it for a sale that is not in this ledger. */
async function isSoldElsewhere(
  chain: Pick<ChainReader, 'transactionOf'>,
  { id, authorization }: PaymentRecord,
  {
    relayer,
    sent,
    proof: { transaction: hash },
  }: SettlementSearch & { readonly proof: TransferProof },
): Promise<boolean> {
  if (relayer === undefined || hash === sent) return false
  const transaction = await chain.transactionOf(hash)
  if (transaction?.from !== lowerHex(relayer)) return false
  const mark = findSaleMark(transaction.data, authorization)
  return mark !== null && mark !== saleMark(id)
}

/**
 * A deposit counts once it is in its channel, whether or not it was sent from here. Its proof is the
 * log of the channel contract, which proves nothing else.
 */
async function judgeDeposit(
  chain: Pick<ChainReader, 'depositProof'>,
  { channelId, authorization: { value: amount } }: PaymentRecord,
  verdict: SettlementVerdict,
): Promise<SettlementVerdict> {
  if (verdict.status !== 'proven' && verdict.status !== 'early') return verdict
  const { proof: transfer } = verdict
  const proof = channelId && (await chain.depositProof({ transfer, channelId, amount }))
  return proof === null
    ? { status: 'rejected', reason: 'nonce_used_elsewhere' }
    : { status: 'proven', proof }
}

/**
 * Only the two logs together, of the authorization and of its transfer, prove a payment: a canceled
 * authorization, or one with the same nonce that pays another account, also uses up the nonce.
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
        return { status: 'rejected', reason: 'nonce_used_elsewhere' }
      }
      return { status: isEarly(payment, use.proof) ? 'early' : 'proven', proof: use.proof }
    case 'canceled':
      return { status: 'rejected', reason: 'authorization_canceled' }
    case 'unused':
      return use.head.timestamp > validBefore + rules.voidMarginSeconds
        ? { status: 'expired' }
        : { status: 'open', chainTime: use.head.timestamp }
  }
}

/** Whether a transfer happened before the payment was claimed, so that it pays for nothing here. */
function isEarly(payment: PaymentRecord, proof: TransferProof): boolean {
  return proof.block <= payment.intentBlock
}
