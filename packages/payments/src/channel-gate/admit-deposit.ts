import {
  type ChannelRecord,
  type DepositOutcome,
  isUndecided,
  type PaymentRecord,
} from '@farebox/ledger'
import type { Refusal, SolventPayer } from '../gate/check-payer.ts'
import { newPayment } from '../gate/new-payment.ts'
import type { Admission } from '../gate/payment-gate.ts'
import type { LeasePhase } from '../gate/payment-leases.ts'
import { afterClaim, settleAgain } from '../gate/resume-payment.ts'
import type { BeyondLimit } from '../policy/payer-limits.ts'
import type { NoRoom } from '../policy/revert-risk.ts'
import { pause } from '../scheduling/timers.ts'
import { advancePayment } from '../settlement/advance-payment.ts'
import { settlePayment, type WithRisk } from '../settlement/settle-payment.ts'
import { answerAttempt, attemptCall, isOld, resumeHeld } from './admit-call.ts'
import type { CallAttempt, ChannelCall, DepositCall } from './channel-call.ts'
import type { ChannelPorts } from './channel-ports.ts'
import { checkDeposit, tooManyDeposits } from './check-deposit.ts'
import { correctCall } from './correct-call.ts'
import { limitReached, refuseChannel, refuseClient } from './refuse-channel.ts'

/**
 * Brings the deposit of a call into its channel and proves it, then admits the call. A client counts
 * what it deposited with the receipt, so a call whose deposit is not needed is corrected and never
 * served: without a receipt the client reads the chain.
 */
export async function admitDeposit(ports: ChannelPorts, call: DepositCall): Promise<Admission> {
  const { store, admissions } = ports
  const prior = await store.findByAuthorization(call.signed.authorization)
  if (prior !== undefined) return await resumeDeposit(ports, call, prior)
  const channel = await store.loadChannel(call.channelId)
  const { channelId } = call
  if (await isNotNeeded(ports, call, channel)) {
    // The call of a deposit that is executed now is held first.
    await ports.depositTurn(channelId, async () => undefined)
    return await correctDeposit(ports, call)
  }
  const { salesStoppedReason } = call.request
  if (salesStoppedReason !== undefined) return admissions.unavailable(salesStoppedReason)
  const refusal =
    (await refuseChannel(ports, channel, call)) ??
    (await refuseClient(ports, call)) ??
    (await refuseShare(ports, call))
  if (refusal !== null) return admissions.refused(call.request, refusal)
  const beyond = await beyondLimit(ports, call)
  if (beyond !== null) return admissions.limited(call.config.payer, beyond)
  const checked = await checkDeposit(ports, call, channel)
  if (checked.status === 'refused') return admissions.refused(call.request, checked.refusal)
  const executed = await ports.depositTurn(channelId, () => executeAndHold(ports, call, checked))
  switch (executed.status) {
    case 'tried':
      return await answerTried(ports, executed)
    case 'taken':
      return await resumeDeposit(ports, call, executed.payment)
    case 'deposit_pending':
      return await afterDeposit(ports, call, executed.payment)
    case 'not_needed':
      return await correctDeposit(ports, call)
    case 'beyond_balance':
      return admissions.balanceInUse(checked.payment)
    case 'no_room':
      return admissions.withoutRoom(call.request, executed.found)
    case 'too_many':
      return admissions.refused(call.request, tooManyDeposits)
  }
}

/** A call without room is refused before its deposit is made. */
async function refuseShare(
  { exposure }: ChannelPorts,
  { config, ceiling }: DepositCall,
): Promise<Refusal | null> {
  const limit = await exposure.reachedBy(config.payer, ceiling)
  return limit && limitReached[limit]
}

/** A call beyond a limit of its payer is refused before its deposit is made. */
async function beyondLimit(
  { payerLimiter }: ChannelPorts,
  { signed, ceiling: value }: DepositCall,
): Promise<BeyondLimit | null> {
  return await payerLimiter.within({ ...signed.authorization, value }, async () => null)
}

/** Whether the channel covers the call without the deposit, or the voucher is for an outdated sum. */
async function isNotNeeded(
  { store }: ChannelPorts,
  { channelId, voucher, ceiling, request }: DepositCall,
  channel: ChannelRecord | undefined,
): Promise<boolean> {
  if (voucher.max < ceiling) return true
  if (channel === undefined) return false
  const { charged, reserved, deposited, returned, signed } = channel
  const needed = charged + reserved + ceiling
  if (request.isForDeposit === undefined && needed <= deposited - returned) return true
  if (needed > voucher.max && needed > signed) return true
  return (await store.findCall(channelId, voucher.max)) !== undefined
}

/** Answers with the channel's state, unless the call was served before. */
async function correctDeposit(ports: ChannelPorts, call: DepositCall): Promise<Admission> {
  return await correctCall(ports, call, async (): Promise<CallAttempt> => {
    const found = await resumeHeld(ports, call)
    if (found.status !== 'not_held') return found
    const { channel, prior } = found
    return prior === undefined
      ? { status: 'misfit', channel, isUsed: false }
      : { status: 'misfit', channel, isUsed: true, isOld: isOld(ports, prior) }
  })
}

type UnexecutedDeposit =
  | Exclude<DepositOutcome, { readonly status: 'claimed' }>
  | { readonly status: 'not_needed' }
  /** Others took the last place since the deposit was checked. */
  | { readonly status: 'too_many' }
  /** Payers with code may not cost more gas for now. */
  | { readonly status: 'no_room'; readonly found: NoRoom }

/** The payment of a deposit that was sent, in whatever state it is now. */
type ExecutedDeposit = { readonly status: 'executed'; readonly payment: PaymentRecord }

/**
 * Tries to hold the call of a deposit before another deposit call of the channel is corrected, which
 * would otherwise sign the voucher of this one.
 */
async function executeAndHold(
  ports: ChannelPorts,
  call: DepositCall,
  payer: SolventPayer,
): Promise<UnexecutedDeposit | TriedDeposit> {
  const executed = await executeWithin(ports, call, payer)
  return executed.status === 'executed'
    ? { status: 'tried', ...(await tryCallOf(ports, call, executed.payment)) }
    : executed
}

/** A deposit that code decides about may revert; what such deposits and payments cost is limited. */
async function executeWithin(
  ports: ChannelPorts,
  call: DepositCall,
  payer: SolventPayer,
): Promise<UnexecutedDeposit | ExecutedDeposit> {
  if (!payer.hasCode) return await executeDeposit(ports, call, payer)
  const held = ports.revertRisk.take(call.request.clientAddress)
  if (held.status !== 'held') return { status: 'no_room', found: held }
  try {
    return await executeDeposit({ ...ports, heldRisk: held }, call, payer)
  } finally {
    held.release()
  }
}

/** Claims a deposit and has it executed, unless another one has arrived since the channel was read. */
async function executeDeposit(
  ports: ChannelPorts & WithRisk,
  call: DepositCall,
  { payment: signed, balance }: SolventPayer,
): Promise<UnexecutedDeposit | ExecutedDeposit> {
  const { offer, request, channelId, config } = call
  const { number: searchFromBlock } = await ports.recentHead()
  const known = await ports.store.loadChannel(channelId)
  if (await isNotNeeded(ports, call, known)) return { status: 'not_needed' }
  const place = ports.depositBudget.take(config.payer)
  if (place === undefined) return { status: 'too_many' }
  const sale = newPayment(ports, { signed, offer, request, searchFromBlock })
  const { chainId } = signed.authorization
  const channel = { id: channelId, chainId, config, seenBlock: searchFromBlock }
  const claim = await ports.store
    .claimDeposit(
      { ...sale, kind: 'channel_deposit', channelId },
      { ...channel, createdAt: sale.createdAt },
      balance,
    )
    .catch((error: unknown) => {
      place.release()
      throw error
    })
  if (claim.status !== 'claimed') {
    place.release()
    return claim
  }
  const held = { payment: claim.payment, phase: 'settling' } as const
  const payment = await whileHeld(ports, held, async () => {
    // Another replica's deposit may have been proven just before: now no other one is in flight.
    const isDropped = await isNotNeeded(ports, call, await ports.store.loadChannel(channelId))
    if (!isDropped) return await settlePayment(ports, claim.payment, signed)
    await dropDeposit(ports, claim.payment)
    return null
  })
  if (payment !== null) return { status: 'executed', payment }
  place.release()
  return { status: 'not_needed' }
}

/** It was not sent, so that it is rejected; sent by another party, it counts all the same. */
async function dropDeposit({ store, clock }: ChannelPorts, payment: PaymentRecord): Promise<void> {
  const event = {
    type: 'settlement_rejected',
    reason: 'deposit_not_needed',
    at: clock(),
  } as const
  await advancePayment(store, payment, {
    eventFor: (current) => (isUndecided(current) ? event : null),
  })
}

/** From the claim on no fault becomes a 402: the deposit may be on its way. */
async function whileHeld<Result>(
  { leases, notify }: ChannelPorts,
  { payment, phase }: { readonly payment: PaymentRecord; readonly phase: LeasePhase },
  work: () => Promise<Result>,
): Promise<Result | PaymentRecord> {
  leases.enter(payment, phase)
  try {
    return await work()
  } catch (error) {
    notify({ type: 'fault', during: 'admission', error })
    return payment
  } finally {
    leases.leave(payment.id)
  }
}

/** The call that a deposit pays for, and the attempt to hold it. */
type TriedCall = {
  readonly call: ChannelCall
  readonly payment: PaymentRecord
  readonly attempt: CallAttempt
}
type TriedDeposit = TriedCall & { readonly status: 'tried' }

/** Tries to hold the call of a deposit in its current state. */
async function tryCallOf(
  ports: ChannelPorts,
  call: DepositCall,
  payment: PaymentRecord,
): Promise<TriedCall> {
  const { admissions } = ports
  const { id: paymentId, status, settlement, authorization, reason } = payment
  if (status === 'completed' && settlement !== null) {
    const { transaction } = settlement
    const deposit = { transaction, amount: authorization.value, paymentId }
    const paid = { ...call, deposit }
    const attempt = await afterClaim(ports, payment, () => attemptCall(ports, paid))
    return attempt.status === 'pending'
      ? { call, payment, attempt: { status: 'decided', admission: attempt } }
      : { call: paid, payment, attempt }
  }
  const admission =
    status === 'rejected' || status === 'void'
      ? admissions.rejected(call.request, reason ?? 'authorization_expired')
      : admissions.unknown(payment)
  return { call, payment, attempt: { status: 'decided', admission } }
}

async function answerTried(
  ports: ChannelPorts,
  { call, payment, attempt }: TriedCall,
): Promise<Admission> {
  return await afterClaim(ports, payment, () => answerAttempt(ports, call, attempt))
}

async function serveDeposit(
  ports: ChannelPorts,
  deposit: DepositCall,
  payment: PaymentRecord,
): Promise<Admission> {
  return await answerTried(ports, await tryCallOf(ports, deposit, payment))
}

/** The same deposit presented again. */
async function resumeDeposit(
  ports: ChannelPorts,
  call: DepositCall,
  prior: PaymentRecord,
): Promise<Admission> {
  const { admissions, leases, clock } = ports
  const isOurs = prior.channelId === call.channelId
  if (!isOurs || prior.requestDigest !== call.request.requestDigest) {
    return await correctDeposit(ports, call)
  }
  if (!isUndecided(prior)) return await serveDeposit(ports, call, prior)
  const isLeased = prior.lease !== null && prior.lease.until > clock()
  if (leases.holds(prior.id) || (prior.status === 'settling' && isLeased)) {
    return admissions.inFlight(prior)
  }
  const held = { payment: prior, phase: 'resuming' } as const
  const settled = await whileHeld(ports, held, async () => {
    const again = await settleAgain(ports, prior, call.request)
    return again.payment
  })
  return await serveDeposit(ports, call, settled)
}

const pollMs = 50

/** Waits for another deposit into the channel, which may cover this call too. */
async function afterDeposit(
  ports: ChannelPorts,
  call: DepositCall,
  pending: PaymentRecord,
): Promise<Admission> {
  const { store, clock, timers, policy, admissions } = ports
  const deadline = clock() + policy.settleTimeoutMs
  for (;;) {
    const current = (await store.load(pending.id)) ?? pending
    if (current.status !== 'settling') {
      return current.status === 'unknown'
        ? admissions.unknown(current)
        : await admitDeposit(ports, call)
    }
    if (clock() >= deadline) return admissions.inFlight(current)
    await pause(timers, pollMs)
  }
}
