import type { LedgerStore, PaymentRecord } from '@farebox/ledger'
import type { ChainReader } from '../chain/chain.ts'
import { type Observer, quietObserver } from '../events/payment-events.ts'
import { refundInFull } from '../refund-plan/refund-in-full.ts'
import type { RefundMinimum } from '../refund-plan/refund-minimum.ts'
import { createLoop, type Loop } from '../scheduling/background-loop.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { systemTimers, type Timers } from '../scheduling/timers.ts'
import { advancePayment } from '../settlement/advance-payment.ts'
import { confirmSettlement } from '../settlement/confirm-settlement.ts'
import { type ConfirmationsOf, createConfirmationCache } from '../settlement/confirmation-cache.ts'
import type { Facilitator } from '../settlement/facilitator.ts'
import { resolveSettlement, type SettlementPorts } from '../settlement/resolve-settlement.ts'
import { type SettlePorts, settlePayment } from '../settlement/settle-payment.ts'
import { restorePayload } from '../wire/stored-payload.ts'

export type RecoveryOptions = {
  readonly store: LedgerStore
  readonly chain: ChainReader
  /** Sends a payment again whose settlement vanished after it was served. */
  readonly facilitator: Facilitator
  readonly refundMinimum: RefundMinimum
  readonly clock: () => number
  /** Names this replica; its leases are told from those of the gate. */
  readonly owner: string
  /** How long a settled payment waits for the identical request. 60 by default. */
  readonly resumeSeconds?: number
  /** Blocks that confirm a settlement, its own being the first, until it is final. 64 by default. */
  readonly finalConfirmations?: number
  /** How deep money that bought nothing lies before it goes back. As final by default. */
  readonly unsolicitedConfirmations?: number
  /** How long, in chain time, an unused authorisation outlives `validBefore`. 60 by default. */
  readonly voidMarginSeconds?: number
  /** How often unfinished payments are looked at. 2 by default. */
  readonly pollSeconds?: number
  /** How often settlements are looked at that only have to sink deeper. 15 by default. */
  readonly watchSeconds?: number
  readonly leaseSeconds?: number
  readonly settleTimeoutMs?: number
  readonly timers?: Timers
  readonly onEvent?: Observer
}

export type Recovery = Loop & {
  /** Looks once at every unfinished payment that nobody else has a lease on. */
  runOnce(): Promise<RecoveryRound>
}

/** How many payments a round looked at, and how many of them it could not judge. */
export type RecoveryRound = { readonly payments: number; readonly faults: number }

const pageSize = 100
const atOnce = 8

/**
 * Brings every payment that a crash, a fault or a silent client left behind to its end. It acts on
 * what the ledger says and the chain answers, so that any number of replicas may run it.
 */
export function createRecovery(options: RecoveryOptions): Recovery {
  const ports = recoveryPorts(options)
  async function runOnce(): Promise<RecoveryRound> {
    const round = { confirmationsOf: createConfirmationCache(ports.chain), faults: 0, payments: 0 }
    const open: PaymentRecord[] = []
    for (;;) {
      const page = await leasePage(ports)
      round.payments += page.length
      await forEachConcurrently(page, atOnce, async (payment) => {
        try {
          const next = await recoverPayment(ports, payment, round.confirmationsOf)
          if (next === 'soon') open.push(payment)
        } catch (error) {
          round.faults += 1
          open.push(payment)
          ports.notify({ type: 'fault', during: 'recovery', error })
        }
      })
      if (page.length < pageSize) break
    }
    await forEachConcurrently(open, atOnce, (payment) => release(ports, payment))
    return { payments: round.payments, faults: round.faults }
  }
  const { timers, notify } = ports
  const loop = createLoop({
    timers,
    everyMs: (options.pollSeconds ?? 2) * 1000,
    work: runOnce,
    onFault: (error) => {
      notify({ type: 'fault', during: 'recovery', error })
    },
  })
  return { ...loop, runOnce }
}

type RecoveryPorts = SettlePorts & {
  readonly store: LedgerStore
  readonly refundMinimum: RefundMinimum
  readonly owner: string
  readonly resumeMs: number
  readonly finalConfirmations: number
  readonly unsolicitedConfirmations: number
  readonly watchMs: number
  readonly leaseMs: number
}

function recoveryPorts(options: RecoveryOptions): RecoveryPorts {
  const { store, chain, facilitator, refundMinimum, clock, owner } = options
  return {
    store,
    chain,
    facilitator,
    refundMinimum,
    clock,
    owner: `${owner}/recovery`,
    timers: options.timers ?? systemTimers,
    notify: quietObserver(options.onEvent),
    rules: { voidMarginSeconds: options.voidMarginSeconds ?? 60 },
    resumeMs: (options.resumeSeconds ?? 60) * 1000,
    finalConfirmations: options.finalConfirmations ?? 64,
    unsolicitedConfirmations: options.unsolicitedConfirmations ?? options.finalConfirmations ?? 64,
    watchMs: (options.watchSeconds ?? 15) * 1000,
    leaseMs: (options.leaseSeconds ?? 60) * 1000,
    settleTimeoutMs: options.settleTimeoutMs ?? 30_000,
    proofTimeoutMs: 0,
  }
}

function leasePage(ports: RecoveryPorts): Promise<readonly PaymentRecord[]> {
  const { store, owner, clock, leaseMs } = ports
  const now = clock()
  return store.leaseUnfinished({ owner, now, until: now + leaseMs, limit: pageSize })
}

/**
 * The lease is given back at once, so that the identical request may resume the payment; payments
 * that only sink deeper keep it until they are to be looked at again.
 */
async function release(ports: RecoveryPorts, payment: PaymentRecord): Promise<void> {
  await leaseUntil(ports, payment, ports.clock())
}

async function leaseUntil(
  { store, owner, clock, notify }: RecoveryPorts,
  payment: PaymentRecord,
  until: number,
): Promise<void> {
  try {
    await store.lease(payment.id, { owner, until, now: clock() })
  } catch (error) {
    // The lease ends by itself.
    notify({ type: 'fault', during: 'recovery', error })
  }
}

type NextLook = 'soon' | 'later'

async function recoverPayment(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<NextLook> {
  switch (payment.status) {
    case 'settling':
    case 'unknown':
      return await recoverSettlement(ports, payment, confirmationsOf)
    case 'settled':
      return await recoverSettled(ports, payment, confirmationsOf)
    case 'serving':
      // Its lease is over: whoever served it is gone, and nobody may serve it again.
      await refundInFull(ports, payment, 'service_interrupted')
      return 'soon'
    case 'rejected':
      return await watchRejected(ports, payment, confirmationsOf)
    case 'completed':
    case 'failed':
      return payment.settlement === null
        ? await recoverLost(ports, payment)
        : await watchFinality(ports, payment, confirmationsOf)
    case 'void':
      return 'soon'
  }
}

/** Whoever was settling it is gone. Only the chain knows; nothing is sent without its client. */
async function recoverSettlement(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<NextLook> {
  const resolved = await resolveSettlement(ports, payment)
  const { status } = resolved.payment
  if (status === 'settled') return await recoverSettled(ports, resolved.payment, confirmationsOf)
  if (status === 'settling') await markUnknown(ports, resolved.payment)
  return 'soon'
}

async function markUnknown(ports: RecoveryPorts, payment: PaymentRecord): Promise<void> {
  const at = ports.clock()
  const reason = 'settlement_interrupted'
  const advance = await advancePayment(ports.store, payment, {
    eventFor: (current) =>
      current.version === payment.version
        ? { type: 'settlement_unknown', reason, hint: null, at }
        : null,
  })
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_unknown', payment: advance.payment, reason })
  }
}

/** Waits for its client, unless it may not be served at all. */
async function recoverSettled(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<NextLook> {
  if (payment.reason !== null) return await returnUnsolicited(ports, payment, confirmationsOf)
  if (ports.clock() - payment.updatedAt >= ports.resumeMs) {
    await refundInFull(ports, payment, 'not_resumed')
  }
  return 'soon'
}

/**
 * Nobody waits for this money, and nothing could send it again if it vanished: it goes back when
 * its transfer is final.
 */
async function returnUnsolicited(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<NextLook> {
  const watched = await confirmSettlement(ports, payment, confirmationsOf)
  if (watched.status === 'lost') return 'soon'
  if (watched.confirmations >= ports.unsolicitedConfirmations) {
    const reason = watched.payment.reason ?? 'unsolicited_transfer'
    const ended = await refundInFull(ports, watched.payment, reason)
    if (ended.status !== 'settled') return 'soon'
  }
  await leaseUntil(ports, payment, ports.clock() + ports.watchMs)
  return 'later'
}

/** A refused authorisation is in strangers' hands until its time is over. */
async function watchRejected(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<NextLook> {
  const resolved = await resolveSettlement(ports, payment)
  if (resolved.payment.status === 'settled')
    return await recoverSettled(ports, resolved.payment, confirmationsOf)
  await leaseUntil(ports, payment, ports.clock() + ports.watchMs)
  return 'later'
}

async function watchFinality(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<NextLook> {
  const watched = await confirmSettlement(ports, payment, confirmationsOf)
  if (watched.status === 'lost') return await recoverLost(ports, watched.payment)
  if (watched.confirmations >= ports.finalConfirmations) {
    const at = ports.clock()
    await advancePayment(ports.store, watched.payment, {
      eventFor: (current) =>
        current.settlement === null || current.settlementFinal
          ? null
          : { type: 'settlement_final', at },
    })
    return 'soon'
  }
  await leaseUntil(ports, payment, ports.clock() + ports.watchMs)
  return 'later'
}

/** Served, and its settlement vanished: the same payload is sent again while it is valid. */
async function recoverLost(ports: RecoveryPorts, payment: PaymentRecord): Promise<NextLook> {
  if (payment.settlement !== null) return 'soon'
  const proven = await proveAgain(ports, payment)
  if (proven) return 'soon'
  const signed = restorePayload(payment)
  const isValid = payment.authorization.validBefore * 1000 > ports.clock()
  if (signed !== undefined && isValid) await settlePayment(ports, payment, signed)
  await leaseUntil(ports, payment, ports.clock() + ports.watchMs)
  return 'later'
}

/** Whether the vanished settlement was found again, or is lost for good. */
async function proveAgain(ports: SettlementPorts, payment: PaymentRecord): Promise<boolean> {
  const { payment: current } = await resolveSettlement(ports, payment)
  return current.settlement !== null || current.payload === null
}
