import type { RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import { advanceRefund } from './advance-refund.ts'
import type { RefundOutcome } from './refund-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'

/**
 * Records what a round found out about a refund, and reports it. `found` is the transfer as the
 * round leased it: it may have been signed since.
 */
export async function recordOutcome(
  ports: RefundPorts,
  transfer: RefundTransfer,
  outcome: RefundOutcome,
  found: RefundTransfer = transfer,
): Promise<void> {
  const checked = checkPayee(transfer, outcome)
  const event = eventFor(ports, { transfer, outcome: checked, found })
  const recorded = await advanceRefund(ports, transfer, event)
  if (recorded === undefined) return
  announce(ports, { before: transfer, found, after: recorded }, checked)
  const next = nextOutcome(ports, checked)
  if (next !== null) await recordOutcome(ports, recorded, next)
}

/** A nonce that paid somebody else can never pay this refund. */
function checkPayee(transfer: RefundTransfer, outcome: RefundOutcome): RefundOutcome {
  return outcome.status === 'transferred' && outcome.use.to !== transfer.payer
    ? { status: 'blocked_for_payee', reason: 'nonce_used_elsewhere' }
    : outcome
}

type Step = {
  readonly transfer: RefundTransfer
  readonly outcome: RefundOutcome
  readonly found: RefundTransfer
}

function eventFor(ports: RefundPorts, { transfer, outcome, found }: Step): RefundTransferEvent {
  const at = ports.clock()
  switch (outcome.status) {
    case 'transferred':
      return { type: 'confirmed', proof: outcome.use.proof, at }
    case 'lost':
    case 'final':
    case 'written_off':
      return { type: outcome.status, at }
    case 'retry_later':
      return retryLater(outcome.delayMs, at)
    case 'blocked_for_payee':
      return blockForPayee(found, outcome.reason, at)
    case 'blocked_for_system':
      return blockForSystem(ports, transfer, { reason: outcome.reason, at })
  }
}

function retryLater(delayMs: number, at: number): RefundTransferEvent {
  return { type: 'postponed', nextAttemptAt: at + delayMs, at }
}

const firstDelayMs = 15_000
const longestDelayMs = 24 * 3_600_000

/** Waits twice as long each time that the same obstacle is found again. */
function blockForPayee(found: RefundTransfer, reason: string, at: number): RefundTransferEvent {
  const lastDelay = isBlockedBy(found, reason) ? found.nextAttemptAt - found.updatedAt : 0
  const delay = Math.min(Math.max(lastDelay * 2, firstDelayMs), longestDelayMs)
  return { type: 'blocked', reason, nextAttemptAt: at + delay, at }
}

const systemDelayMs = 10_000
/** An obstacle that is gone within this time does not show as blocked. */
const patienceMs = 20_000

/** The refund is not at fault. It only shows as blocked once the obstacle has lasted. */
function blockForSystem(
  { breaker }: RefundPorts,
  transfer: RefundTransfer,
  { reason, at }: { readonly reason: string | null; readonly at: number },
): RefundTransferEvent {
  const open = breaker.state()
  const lasting = open !== null && at - open.since >= patienceMs ? open.reason : null
  const shown = reason ?? (transfer.status === 'blocked' ? transfer.reason : null) ?? lasting
  return shown === null
    ? retryLater(systemDelayMs / 2, at)
    : { type: 'blocked', reason: shown, nextAttemptAt: at + systemDelayMs, at }
}

function isBlockedBy({ status, reason }: RefundTransfer, obstacle: string): boolean {
  return status === 'blocked' && reason === obstacle
}

type Change = {
  /** As the round leased it. */
  readonly found: RefundTransfer
  readonly before: RefundTransfer
  readonly after: RefundTransfer
}

/** A refund that stays blocked for longer is brought up again at each look. */
const overdueMs = 7 * 24 * 3_600_000

function announce(
  { notify }: RefundPorts,
  { found, before, after }: Change,
  outcome: RefundOutcome,
): void {
  const refundTransfer = after
  switch (outcome.status) {
    case 'transferred': {
      const { value } = outcome.use
      const wasSent = ['signed', 'submitted', 'confirmed'].includes(before.status)
      if (!wasSent || value !== before.amount)
        notify({ type: 'refund_found', refundTransfer, value })
      notify({ type: 'refund_confirmed', refundTransfer })
      break
    }
    case 'lost':
      notify({ type: 'refund_lost', refundTransfer })
      break
    case 'blocked_for_payee': {
      const { reason } = outcome
      if (!isBlockedBy(found, reason)) notify({ type: 'refund_blocked', refundTransfer, reason })
      if (after.updatedAt - before.createdAt >= overdueMs) {
        notify({ type: 'refund_overdue', refundTransfer, reason })
      }
      break
    }
    case 'blocked_for_system':
      if (after.status === 'blocked' && before.status !== 'blocked') {
        notify({ type: 'refund_blocked', refundTransfer, reason: after.reason ?? '' })
      }
      break
    case 'written_off':
      notify({ type: 'refund_written_off', refundTransfer, reason: before.reason ?? '' })
      break
    case 'final':
    case 'retry_later':
      break
  }
}

/** What follows at once. A transfer that moved to another block is still the same refund. */
function nextOutcome({ pollMs }: RefundPorts, outcome: RefundOutcome): RefundOutcome | null {
  switch (outcome.status) {
    case 'transferred':
      return { status: 'retry_later', delayMs: pollMs }
    case 'lost':
      return outcome.use.status === 'transferred'
        ? { status: 'transferred', use: outcome.use }
        : { status: 'retry_later', delayMs: 0 }
    default:
      return null
  }
}
