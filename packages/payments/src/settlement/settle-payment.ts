import { type Hex, isUndecided, type PaymentEvent, type PaymentRecord } from '@farebox/ledger'
import type { PayerBudget } from '../policy/payer-budget.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import type { HeldRisk } from '../policy/revert-risk.ts'
import { pause } from '../scheduling/timers.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { advancePayment } from './advance-payment.ts'
import type { Facilitator, SettleOutcome, SettleRejection, ShownSettlement } from './facilitator.ts'
import { type BeginsWithProof, recordVerdict } from './resolve-settlement.ts'
import { saleMark } from './sale-mark.ts'
import { readSettlement, type SettlementVerdict } from './settlement-verdict.ts'

export type SettlePorts = PaymentPorts & {
  readonly facilitator: Facilitator
  /** Counts settlements that reverted on the chain. */
  readonly payerBudget?: PayerBudget
}

/** What the settlement may cost, if code decides about it. */
export type WithRisk = { readonly heldRisk?: HeldRisk | undefined }

/** What to do when the settlement is preconfirmed. */
export type OnShown = { readonly onShown?: ((shown: ShownSettlement) => void) | undefined }

/**
 * Has a claimed payment settled and records what the chain shows: `settled`, `rejected`, `void`, or
 * `unknown` while it shows nothing yet. What the facilitator reports only decides how long to look.
 * With `beginsWithProof` it may be `serving` already.
 */
export async function settlePayment(
  ports: SettlePorts & BeginsWithProof & WithRisk & OnShown,
  payment: PaymentRecord,
  signed: SignedPayment,
): Promise<PaymentRecord> {
  const outcome = await settleInTime(ports, { ...signed, mark: saleMark(payment.id) })
  if (outcome.status === 'settled') ports.heldRisk?.spend(payment, outcome.gasUsed ?? 0n)
  const verdict = await waitForProof(ports, payment, outcome)
  // A transaction of ours also reverts when another one has settled the payment before it.
  const isReverted = outcome.status === 'unknown' && outcome.reverted === true
  if (isReverted && verdict?.status !== 'proven') {
    ports.heldRisk?.lose()
    await countRevert(ports, payment)
  }
  if (verdict?.status === 'open' || verdict === null) {
    return outcome.status === 'rejected' && (await isCredible(ports, payment, { outcome, verdict }))
      ? await recordRejection(ports, payment, outcome.reason)
      : await recordUnknown(ports, payment, outcome)
  }
  return await recordVerdict(ports, payment, verdict)
}

/** The relayer paid for a transaction that moved nothing. */
async function countRevert(
  { chain, payerBudget }: SettlePorts,
  payment: PaymentRecord,
): Promise<void> {
  const code = await chain.codeOf(payment.authorization.from).catch(() => null)
  await payerBudget?.count({ payment, cause: 'settlement_reverted', code })
}

/** A facilitator that hangs, even one that ignores its signal, does not hold up the request. */
async function settleInTime(
  ports: SettlePorts & OnShown,
  signed: SignedPayment,
): Promise<SettleOutcome> {
  const { facilitator, timers, policy, onShown } = ports
  const deadline = new AbortController()
  const cancel = timers.after(policy.settleTimeoutMs, () => {
    deadline.abort()
  })
  const timedOut = new Promise<SettleOutcome>((resolve) => {
    deadline.signal.addEventListener('abort', () => {
      resolve({ status: 'unknown', reason: 'facilitator_timeout', transaction: null })
    })
  })
  try {
    return await Promise.race([facilitator.settle(signed, deadline.signal, onShown), timedOut])
  } catch {
    // A facilitator must not throw; if it does, the outcome is unknown too.
    return { status: 'unknown', reason: 'facilitator_failed', transaction: null }
  } finally {
    cancel()
  }
}

/** Reads the logs until they decide; null when the node's last read failed. */
async function waitForProof(
  ports: SettlePorts,
  payment: PaymentRecord,
  outcome: SettleOutcome,
): Promise<SettlementVerdict | null> {
  const { clock, timers, policy } = ports
  // After a rejection one check is enough: it should find nothing.
  const deadline = clock() + (outcome.status === 'rejected' ? 0 : policy.proofTimeoutMs)
  for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
    const verdict = await readVerdict(ports, payment, outcome)
    if (verdict !== null && verdict.status !== 'open') return verdict
    if (clock() + wait > deadline) return verdict
    await pause(timers, wait)
  }
}

async function readVerdict(
  { chain, policy, relayer, notify }: SettlePorts,
  payment: PaymentRecord,
  outcome: SettleOutcome,
): Promise<SettlementVerdict | null> {
  try {
    const sent = outcome.status === 'settled' ? outcome.transaction : null
    return await readSettlement(chain, payment, {
      ...policy,
      hint: hintOf(outcome),
      relayer,
      sent,
    })
  } catch (error) {
    notify({ type: 'fault', during: 'admission', error })
    return null
  }
}

/**
 * Whether a rejection may be answered with a 402. It must not contradict what we know: nothing was
 * sent before, the logs are readable and empty, and a missing balance can be read from the chain.
 * "Nonce already used" is not a rejection: it points to a transfer that our node has not seen yet.
 */
async function isCredible(
  { chain }: SettlePorts,
  payment: PaymentRecord,
  found: { readonly outcome: SettleRejection; readonly verdict: SettlementVerdict | null },
): Promise<boolean> {
  const { outcome, verdict } = found
  if (verdict === null) return false
  if (payment.status !== 'settling' || outcome.reason.includes('nonce')) return false
  if (!/insufficient|balance|funds/.test(outcome.reason)) return true
  const { asset, from, value } = payment.authorization
  try {
    return (await chain.balanceOf(asset, from)) < value
  } catch {
    return false
  }
}

/** Rejects a payment, unless another process has decided it meanwhile. */
export async function recordRejection(
  ports: Pick<PaymentPorts, 'store' | 'clock' | 'notify'>,
  payment: PaymentRecord,
  reason: string,
): Promise<PaymentRecord> {
  const event: PaymentEvent = { type: 'settlement_rejected', reason, at: ports.clock() }
  const advance = await advancePayment(ports.store, payment, {
    eventFor: (current) => (isUndecided(current) ? event : null),
  })
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_rejected', payment: advance.payment, reason })
  }
  return advance.payment
}

async function recordUnknown(
  ports: SettlePorts,
  payment: PaymentRecord,
  outcome: SettleOutcome,
): Promise<PaymentRecord> {
  const reason = outcome.status === 'settled' ? 'settlement_not_found' : outcome.reason
  const hint = hintOf(outcome)
  const at = ports.clock()
  const advance = await advancePayment(ports.store, payment, {
    eventFor: (current) =>
      isUndecided(current) ? { type: 'settlement_unknown', reason, hint, at } : null,
  })
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_unknown', payment: advance.payment, reason })
  }
  return advance.payment
}

function hintOf(outcome: SettleOutcome): Hex | null {
  return outcome.status === 'rejected' ? null : outcome.transaction
}
