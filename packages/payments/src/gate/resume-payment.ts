import { isDeepStrictEqual } from 'node:util'
import { isOverlapping, isServable, type PaymentRecord } from '@farebox/ledger'
import { findExecutedCall } from '../calls/executed-call.ts'
import { endUnserved } from '../refund-plan/end-unserved.ts'
import { refundOnChain } from '../refund-plan/refund-in-full.ts'
import { resolveSettlement } from '../settlement/resolve-settlement.ts'
import { type Resubmission, resubmitPayment } from '../settlement/resubmit-payment.ts'
import { minValiditySeconds } from '../signature/check-payment.ts'
import { isWrapped } from '../signature/wrapped-signature.ts'
import { clientPaymentKey } from '../wire/client-payment-key.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { restorePayload } from '../wire/stored-payload.ts'
import type { GatePorts } from './gate-ports.ts'
import type { Admission, AdmissionRequest, PendingAdmission } from './payment-gate.ts'

/** A request that presents an existing payment, and the protocol version of the request. */
export type Presentation = { readonly request: AdmissionRequest; readonly protocol: 1 | 2 }

/**
 * Finds the payment that a presented authorization was claimed as: by the client's own id, else by
 * its identity on the chain. A forged signature finds nothing.
 */
export async function findPrior(
  ports: GatePorts,
  signed: SignedPayment,
): Promise<PaymentRecord | undefined> {
  const key = clientPaymentKey(signed)
  const named = key === null ? undefined : await ports.store.findByClientPaymentId(key)
  const prior = named ?? (await ports.store.findByAuthorization(signed.authorization))
  if (prior === undefined) return undefined
  const isKnown =
    isStored(prior, signed) ||
    (await isGenuine(ports, signed)) ||
    (await isSettledWith(ports, prior, signed))
  return isKnown ? prior : undefined
}

/** A wallet may not accept its own signature any more, after it has paid. */
function isStored(prior: PaymentRecord, { authorization, signature }: SignedPayment): boolean {
  const stored = restorePayload(prior)
  return stored?.signature === signature && isDeepStrictEqual(stored.authorization, authorization)
}

/** The ledger keeps no signature of a final payment. The transaction that settled it shows a wallet's. */
async function isSettledWith(
  { chain }: GatePorts,
  { authorization: paid, settlement, settlementFinal }: PaymentRecord,
  { authorization, signature }: SignedPayment,
): Promise<boolean> {
  if (!settlementFinal || settlement === null || !isDeepStrictEqual(paid, authorization))
    return false
  if ((await chain.codeOf(paid.from)) === null) return false
  const settled = await chain.transactionOf(settlement.transaction)
  const sent = settled && findExecutedCall(settled.data, authorization)?.signature
  const given = signature.slice(2)
  // Of the 65 bytes of a key's signature, a call has `r` and `s`, and `v` in the form that the token takes.
  return sent === given || (given.length === 130 && sent === given.slice(0, 128))
}

/** Checks the signature alone, as of a time at which the authorization was valid. */
async function isGenuine({ checkPayment }: GatePorts, payment: SignedPayment): Promise<boolean> {
  const { value, validBefore } = payment.authorization
  const now = validBefore - minValiditySeconds
  return (await checkPayment({ payment, amount: value, now })).status === 'valid'
}

/** Decides on a request that presents an existing payment again. */
export async function resumePayment(
  ports: GatePorts,
  payment: PaymentRecord,
  presented: Presentation,
): Promise<Admission> {
  const { admissions, leases } = ports
  if (isNeverUsed(payment))
    return admissions.rejected(presented.request, payment.reason ?? payment.status)
  if (payment.requestDigest !== presented.request.requestDigest) return admissions.reused(payment)
  if (leases.holds(payment.id)) return admissions.inFlight(payment)
  switch (payment.status) {
    case 'settling':
      return isLeased(ports, payment)
        ? admissions.inFlight(payment)
        : await whileHeld(ports, payment, () => resolveAgain(ports, payment, presented))
    case 'unknown':
      return await whileHeld(ports, payment, () => resolveAgain(ports, payment, presented))
    case 'settled':
      return await whileHeld(ports, payment, () => resumeSettled(ports, payment, presented))
    default:
      return await afterClaim(ports, payment, () => admitByStatus(ports, payment, presented))
  }
}

/** From the claim on, the response to a fault names the payment, and is never a 402. */
export async function afterClaim<Result>(
  { notify, admissions }: Pick<GatePorts, 'notify' | 'admissions'>,
  payment: PaymentRecord,
  work: () => Promise<Result>,
): Promise<Result | PendingAdmission> {
  try {
    return await work()
  } catch (error) {
    notify({ type: 'fault', during: 'admission', error })
    return admissions.unknown(payment)
  }
}

/** Rejected and void authorizations were not and will not be used. */
function isNeverUsed({ status }: PaymentRecord): boolean {
  return status === 'rejected' || status === 'void'
}

function isLeased({ clock }: GatePorts, { lease }: PaymentRecord): boolean {
  return lease !== null && lease.until > clock()
}

/** Concurrent copies of one request resume its payment once. A fault here never becomes a 402. */
async function whileHeld(
  ports: GatePorts,
  payment: PaymentRecord,
  work: () => Promise<Admission>,
): Promise<Admission> {
  ports.leases.enter(payment, 'resuming')
  try {
    const admission = await work()
    if (admission.status !== 'settled') ports.leases.leave(payment.id)
    return admission
  } catch (error) {
    ports.leases.leave(payment.id)
    ports.notify({ type: 'fault', during: 'admission', error })
    return ports.admissions.unknown(payment)
  }
}

async function resolveAgain(
  ports: GatePorts,
  payment: PaymentRecord,
  presented: Presentation,
): Promise<Admission> {
  const { payment: current, isSent } = await settleAgain(ports, payment, presented.request)
  return current.status === 'settled' && !isSent
    ? await resumeSettled(ports, current, presented)
    : await admitByStatus(ports, current, presented)
}

/** Reads the chain again; while it shows nothing, one replica at a time resubmits the payload. */
export async function settleAgain(
  ports: GatePorts,
  payment: PaymentRecord,
  { clientAddress }: Pick<AdmissionRequest, 'clientAddress'>,
): Promise<Resubmission> {
  const { payment: current, verdict } = await resolveSettlement(ports, payment)
  const unsent = { payment: current, isSent: false }
  const signed = restorePayload(current)
  if (verdict.status !== 'open' || signed === undefined) return unsent
  const allowed = await mayResubmit(ports, current, verdict.chainTime)
  if (allowed === 'no') return unsent
  if (allowed === 'with_key' && !isWrapped(signed.signature))
    return await resubmitPayment(ports, { payment: current, signed })
  const held = ports.revertRisk.take(clientAddress)
  if (held.status !== 'held') return unsent
  try {
    return await resubmitPayment({ ...ports, heldRisk: held }, { payment: current, signed })
  } finally {
    held.release()
  }
}

const resubmitPauseMs = 5_000

async function mayResubmit(
  { chain, clock, payerBudget }: GatePorts,
  payment: PaymentRecord,
  chainTime: number,
): Promise<'no' | 'with_key' | 'with_code'> {
  const now = clock()
  const { from: payer, validBefore } = payment.authorization
  // Sent again, it could only be refunded.
  if (isOverlapping(payment)) return 'no'
  const time = Math.max(chainTime, Math.floor(now / 1000))
  if (validBefore < time + minValiditySeconds) return 'no'
  if (payment.status === 'unknown' && now - payment.updatedAt < resubmitPauseMs) return 'no'
  const code = await chain.codeOf(payer)
  if ((await payerBudget.refusalOf({ payer, code })) !== null) return 'no'
  return code === null ? 'with_key' : 'with_code'
}

/** Settled but not served, perhaps by a replica that stopped: the holder of the lease continues. */
async function resumeSettled(
  ports: GatePorts,
  payment: PaymentRecord,
  presented: Presentation,
): Promise<Admission> {
  const { store, owner, leases, clock } = ports
  if (isServable(payment) && (await mayNotResume(ports, payment))) {
    return await admitByStatus(ports, await endUnserved(ports, payment), presented)
  }
  const lease = { owner, until: leases.until(), now: clock() }
  const leased = await store.lease(payment.id, lease)
  if (leased === undefined) return ports.admissions.inFlight(payment)
  // The client has returned, so its departure no longer counts.
  await store.forgivePayerFault({ paymentId: payment.id, cause: 'client_left' })
  ports.unservedBudget.forgive(payment)
  return await admitByStatus(ports, leased, presented)
}

/**
 * A payment that waited too long is refunded. So is one that reappeared with a restored backup: its
 * authorization has expired, or its refund is on the chain.
 */
async function mayNotResume(ports: GatePorts, payment: PaymentRecord): Promise<boolean> {
  const { clock, policy } = ports
  const since = Math.min(payment.updatedAt, payment.authorization.validBefore * 1000)
  return clock() - since >= policy.resumeMs || (await refundOnChain(ports, payment)) !== undefined
}

/** The admission of a payment in its current state, when no other request is working on it. */
export async function admitByStatus(
  ports: GatePorts,
  payment: PaymentRecord,
  { request, protocol }: Presentation,
): Promise<Admission> {
  const { admissions, leases, store, clock } = ports
  switch (payment.status) {
    case 'settled':
      if (isServable(payment)) {
        leases.enter(payment, 'admitted')
        return admissions.settled(payment, protocol)
      }
      // It paid for nothing here; recovery refunds it.
      leases.leave(payment.id)
      return admissions.used(payment)
    case 'settling':
    case 'unknown':
      leases.leave(payment.id)
      return admissions.unknown(payment)
    case 'serving':
      return admissions.inFlight(payment)
    case 'rejected':
    case 'void':
      leases.leave(payment.id)
      return admissions.rejected(request, payment.reason ?? 'authorization_expired')
    case 'completed':
    case 'failed': {
      const answer = await store.loadAnswer(payment.id, clock())
      return answer === undefined
        ? admissions.used(payment)
        : admissions.replayed(payment, answer, protocol)
    }
  }
}
