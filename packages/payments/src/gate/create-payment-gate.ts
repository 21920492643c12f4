import type { Usdc } from '@farebox/money'
import type { HeldRisk } from '../policy/revert-risk.ts'
import type { Advance } from '../settlement/advance-payment.ts'
import { minValiditySeconds } from '../signature/check-payment.ts'
import { type DecodedPayment, decodeEnvelope } from '../wire/decode-payment.ts'
import { type PaymentEnvelope, type ReadEnvelope, readEnvelope } from '../wire/payment-envelope.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { addressRefusal } from './address-refusal.ts'
import type { SolventPayer } from './check-payer.ts'
import {
  type ChannelGate,
  type GatePorts,
  gatePorts,
  type PaymentGateOptions,
} from './gate-ports.ts'
import { newPayment } from './new-payment.ts'
import type { Admission, AdmissionRequest, Offer, PaymentGate, ServiceEnd } from './payment-gate.ts'
import { refusePayer } from './refuse-payer.ts'
import { withReplaySecret } from './replay-secret.ts'
import { findPrior, resumePayment } from './resume-payment.ts'
import { abandonService, beginService, completeService, failService } from './serve-payment.ts'
import { settleClaimed, takeRisk } from './settle-claimed.ts'

/**
 * Creates the gate of a paid route: it admits each authorization to at most one service, over any
 * number of replicas on the same store, and fixes what that service cost.
 *
 * The claim is durable before the settlement is sent, and the settlement is proven by the chain's
 * logs before anything is served, unless the policy releases with preconfirmations. An unknown outcome
 * is `pending`, never a 402.
 *
 * @throws {PaymentPolicyError} when a time that must be above zero is not.
 */
export function createPaymentGate(options: PaymentGateOptions): PaymentGate {
  const ports = gatePorts(options)
  const channelGate = ports.channelTerms && options.channels?.open(ports, ports.channelTerms)

  async function ended({ payment, channel }: Advance): Promise<ServiceEnd> {
    const isCall = payment.kind === 'channel_call' && channelGate !== undefined
    return { payment, headers: isCall ? await channelGate.endHeaders(payment, channel) : {} }
  }

  return {
    admit: (request) => admit(ports, withReplaySecret(request), channelGate),
    begin: (payment) => beginService(ports, payment),
    complete: async (payment, outcome) => ended(await completeService(ports, payment, outcome)),
    fail: async (payment, failure) => ended(await failService(ports, payment, failure)),
    abandon: async (payment, cause, clientAddress) => {
      if (payment.kind === 'channel_call') {
        await ended(await failService(ports, payment, { reason: cause, answer: null }))
      } else {
        await abandonService(ports, { payment, cause, clientAddress })
      }
    },
    close: () => {
      ports.leases.close()
    },
  }
}

async function admit(
  ports: GatePorts,
  request: AdmissionRequest,
  channelGate: ChannelGate | undefined,
): Promise<Admission> {
  const read = readEnvelope(request.headers)
  if (channelGate !== undefined && read.status === 'read' && isChannel(read.envelope)) {
    return await beforeClaim(ports, () => channelGate.admit(request, read.envelope))
  }
  const decoded = decode(ports, request, read)
  switch (decoded.status) {
    case 'absent':
      return ports.admissions.required(request)
    case 'malformed':
      return ports.admissions.unreadable(request, decoded.message)
    case 'mismatched':
      return await admitMismatched(ports, request, decoded)
    case 'decoded':
      return await admitPayment(ports, { request, decoded })
  }
}

function isChannel({ protocol, scheme }: PaymentEnvelope): boolean {
  return protocol === 2 && scheme === 'batch-settlement'
}

function decode(
  { terms }: GatePorts,
  request: AdmissionRequest,
  read: ReadEnvelope,
): DecodedPayment {
  const [first, ...rest] = request.offers
  return decodeEnvelope(read, {
    ...terms,
    resource: request.resource,
    amounts: [first.amount, ...rest.map((offer) => offer.amount)],
  })
}

/** A payment that does not fit may have paid for another request, or for this one at an older price. */
async function admitMismatched(
  ports: GatePorts,
  request: AdmissionRequest,
  { payment, reason }: Extract<DecodedPayment, { readonly status: 'mismatched' }>,
): Promise<Admission> {
  if (payment === null) return ports.admissions.required(request, reason)
  return await beforeClaim(ports, async () => {
    const prior = await findPrior(ports, payment)
    return prior === undefined
      ? ports.admissions.required(request, reason)
      : await resumePayment(ports, prior, { request, protocol: payment.protocol })
  })
}

async function admitPayment(
  ports: GatePorts,
  sale: { readonly request: AdmissionRequest; readonly decoded: Decoded },
): Promise<Admission> {
  const { request, decoded } = sale
  const { payment, amount } = decoded
  const { salesStoppedReason } = request
  return await beforeClaim(ports, async () => {
    const now = Math.floor(ports.clock() / 1000)
    const checked = await ports.checkPayment({ payment, amount, now })
    request.onStep?.('checked')
    const payer = checked.status === 'invalid' ? checked : await askPayer(ports, checked.payment)
    // A payment may be presented again after it expired, after its payer spent the rest of its
    // balance, or under the client's own id for it.
    const mayBePrior = payer.status !== 'solvent' || payment.clientPaymentId !== null
    if (mayBePrior || salesStoppedReason !== undefined) {
      const prior = await findPrior(ports, payment)
      const { protocol } = payment
      if (prior !== undefined) return await resumePayment(ports, prior, { request, protocol })
    }
    if (payer.status === 'invalid') return ports.admissions.rejected(request, payer.reason)
    if (payer.status === 'refused') {
      const offer = offerOf(request, amount)
      return await refusePayer(ports, { request, offer, signed: payment, refusal: payer })
    }
    return salesStoppedReason === undefined
      ? await claimWithinBudgets(ports, { request, amount, payer })
      : ports.admissions.unavailable(salesStoppedReason)
  })
}

/**
 * Reads the head together with the payer; the claim needs it too. If the clock is behind, an
 * authorization that has expired on the chain passes the local check.
 */
async function askPayer(ports: GatePorts, payment: SignedPayment) {
  const asked = ports.checkPayer(payment)
  const head = ports.recentHead()
  head.catch(() => undefined)
  const payer = await asked
  if (payer.status !== 'solvent') return payer
  const { timestamp } = await head
  const reason = 'invalid_exact_evm_payload_authorization_valid_before'
  const isLate = payment.authorization.validBefore < timestamp + minValiditySeconds
  return isLate ? ({ status: 'invalid', reason } as const) : payer
}

type CheckedSale = {
  readonly request: AdmissionRequest
  readonly amount: Usdc
  readonly payer: SolventPayer
}

async function claimWithinBudgets(ports: GatePorts, sale: CheckedSale): Promise<Admission> {
  const { request, payer } = sale
  const unserved = ports.unservedBudget.refusalOf(request.clientAddress)
  if (unserved !== undefined) {
    const refusal = addressRefusal(unserved)
    return await resumeOr(ports, sale, ports.admissions.refused(request, refusal))
  }
  if (!payer.hasCode) return await claimAndSettle(ports, sale, undefined)
  const held = ports.revertRisk.take(request.clientAddress)
  if (held.status !== 'held') {
    return await resumeOr(ports, sale, ports.admissions.withoutRoom(request, held))
  }
  try {
    return await claimAndSettle(ports, sale, held)
  } finally {
    held.release()
  }
}

/** A limit refuses only new payments; one that was claimed before is resumed. */
async function resumeOr(
  ports: GatePorts,
  { request, payer: { payment } }: CheckedSale,
  refused: Admission,
): Promise<Admission> {
  const prior = await findPrior(ports, payment)
  return prior === undefined
    ? refused
    : await resumePayment(ports, prior, { request, protocol: payment.protocol })
}

async function claimAndSettle(
  ports: GatePorts,
  sale: CheckedSale,
  revertRisk: HeldRisk | undefined,
): Promise<Admission> {
  const { request, amount, payer } = sale
  const { balance, payment: signed } = payer
  const offer = offerOf(request, amount)
  const { number: searchFromBlock } = await ports.recentHead()
  request.onStep?.('solvent')
  const risk = await takeRisk(ports, request, payer)
  try {
    const isOverlapping = risk !== undefined
    const sold = { signed, offer, request, searchFromBlock, isOverlapping }
    const claim = await ports.payerLimiter.within(signed.authorization, () =>
      ports.store.claimWithin(newPayment(ports, sold), balance),
    )
    if (claim.status === 'beyond_limit') {
      return await resumeOr(ports, sale, ports.admissions.limited(signed.authorization.from, claim))
    }
    if (claim.status === 'beyond_balance') return ports.admissions.balanceInUse(signed)
    const { payment } = claim
    if (claim.status !== 'taken') {
      return await settleClaimed(ports, { request, signed, payment, risk, revertRisk })
    }
    // The payment takes its own risk if it is sent again.
    revertRisk?.release()
    return await resumePayment(ports, payment, { request, protocol: signed.protocol })
  } finally {
    risk?.release()
  }
}

function offerOf({ offers }: AdmissionRequest, amount: Usdc): Offer {
  return offers.find((candidate) => candidate.amount === amount) ?? offers[0]
}

type Decoded = Extract<DecodedPayment, { readonly status: 'decoded' }>

/** Until the claim is durable, a fault means that nothing was sent and no money moved. */
async function beforeClaim(ports: GatePorts, work: () => Promise<Admission>): Promise<Admission> {
  try {
    return await work()
  } catch (error) {
    ports.notify({ type: 'fault', during: 'admission', error })
    return ports.admissions.unavailable(error instanceof Error ? error.message : 'unknown fault')
  }
}
