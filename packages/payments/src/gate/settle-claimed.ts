import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { TakenRisk } from '../policy/overlap-risk.ts'
import type { HeldRisk } from '../policy/revert-risk.ts'
import {
  type PreconfirmedRelease,
  releaseWithPreconfirmation,
} from '../settlement/release-with-preconfirmation.ts'
import { settlePayment } from '../settlement/settle-payment.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import type { SolventPayer } from './check-payer.ts'
import type { GatePorts } from './gate-ports.ts'
import type { Admission, AdmissionRequest } from './payment-gate.ts'
import { admitByStatus } from './resume-payment.ts'

export type ClaimedSale = {
  readonly request: AdmissionRequest
  readonly signed: SignedPayment
  readonly payment: PaymentRecord
  /** What is at risk when the service starts before the settlement. */
  readonly risk: TakenRisk | undefined
  /** What a revert would cost, if code decides about it. */
  readonly revertRisk: HeldRisk | undefined
}

/** From here on every admission carries the payment's id, and no fault becomes a 402. */
export async function settleClaimed(ports: GatePorts, claimed: ClaimedSale): Promise<Admission> {
  const { request, payment, risk } = claimed
  ports.leases.enter(payment, 'settling')
  request.onStep?.('claimed')
  if (risk !== undefined) request.startOverlapping?.(payment)
  const release = releaseOf(ports, claimed)
  try {
    return await settleAndBegin(ports, claimed, release)
  } catch (error) {
    const released = release?.end()
    ports.leases.leave(payment.id)
    ports.notify({ type: 'fault', during: 'admission', error })
    if (risk !== undefined) await recordLoss(ports, payment, { risk, released })
    return ports.admissions.unknown(payment)
  }
}

/** Bytes are released before the proof only if a risk was taken for the payment. */
function releaseOf(
  ports: GatePorts,
  { request, payment, signed: { protocol }, risk }: ClaimedSale,
): PreconfirmedRelease | undefined {
  const { onPreconfirmed } = request
  const waits = risk === undefined || ports.policy.releaseWith === 'proof'
  if (waits || onPreconfirmed === undefined) return undefined
  return releaseWithPreconfirmation(ports, payment, (transaction) => {
    onPreconfirmed(ports.admissions.preconfirmed(payment, transaction, protocol))
  })
}

async function settleAndBegin(
  ports: GatePorts,
  { request, signed, payment, risk, revertRisk }: ClaimedSale,
  release: PreconfirmedRelease | undefined,
): Promise<Admission> {
  const { leases, admissions, owner } = ports
  const service = { begins: false }
  const beginsWithProof = (current: PaymentRecord): boolean => {
    request.onStep?.('proven')
    const isWanted = risk !== undefined || request.isWanted?.() === true
    service.begins = isWanted && leases.isFresh(current)
    return service.begins
  }
  const decided = await settlePayment(
    { ...ports, beginsWithProof, heldRisk: revertRisk, onShown: release?.onShown },
    payment,
    signed,
  )
  const released = release?.end()
  if (service.begins && decided.status === 'serving' && decided.lease?.owner === owner) {
    leases.enter(decided, 'serving')
    return admissions.settled(decided, signed.protocol)
  }
  if (risk !== undefined) await recordLoss(ports, decided, { risk, released })
  const admission = await admitByStatus(ports, decided, { request, protocol: signed.protocol })
  if (admission.status !== 'settled') leases.leave(payment.id)
  return admission
}

/** Reserves the risk of a payment; undefined if it is settled first. */
export async function takeRisk(
  { overlapRisk, payerBudget, policy }: GatePorts,
  { startOverlapping }: AdmissionRequest,
  { payment: { authorization }, hasCode }: SolventPayer,
): Promise<TakenRisk | undefined> {
  if (startOverlapping === undefined || policy.maxRiskTotal === 0n || hasCode) return undefined
  return (await payerBudget.hasFaults(authorization.from))
    ? undefined
    : overlapRisk.take(authorization)
}

/** A payer whose authorization was used up or whose money is gone counts as the cause. */
async function recordLoss(
  { payerBudget, notify }: GatePorts,
  payment: PaymentRecord,
  { risk, released }: { readonly risk: TakenRisk; readonly released: Hex | undefined },
): Promise<void> {
  risk.lose()
  notify({ type: 'service_ahead_lost', payment })
  if (released !== undefined)
    notify({ type: 'preconfirmation_lost', payment, transaction: released })
  if (payment.status !== 'rejected' && payment.status !== 'void') return
  await payerBudget.count({ payment, cause: 'settlement_reverted' })
}
