import type { RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { confirmationWait } from '../policy/confirmation-wait.ts'
import { advanceRefund, type LoadedRefund, type RefundPorts } from './refund-ports.ts'

/** The result for a refund that a round does not send now. */
export type RefundOutcome =
  /** The chain holds its transfer. */
  | { readonly status: 'transferred'; readonly use: TransferredUse }
  /** Its confirmed transfer left the chain; `use` is how its nonce is used now. */
  | { readonly status: 'lost'; readonly use: AuthorizationUse }
  /** No reorganization can undo it any more. */
  | { readonly status: 'final' }
  /** Nothing is wrong: look again after this delay. */
  | { readonly status: 'retry_later'; readonly delayMs: number }
  /** Held up by its payee, its nonce, its payments or its size: retried at growing intervals. */
  | { readonly status: 'blocked_for_payee'; readonly reason: string }
  /** Held up on our side: retried soon. Without a reason, by whatever pauses all refunds. */
  | { readonly status: 'blocked_for_system'; readonly reason: string | null }
  /** No longer owed. */
  | { readonly status: 'written_off' }

export type TransferredUse = Extract<AuthorizationUse, { readonly status: 'transferred' }>

export type HeldRefund = LoadedRefund & {
  readonly outcome: RefundOutcome
  /** The transfer as the round leased it, when it has been signed since. */
  readonly leased?: RefundTransfer
}

/** Records and reports the result of a round for a refund. */
export async function recordOutcome(ports: RefundPorts, held: HeldRefund): Promise<void> {
  const { transfer, payments, leased = transfer } = held
  const outcome = checkPayee(transfer, held.outcome)
  const event = eventFor(ports, { leased, outcome })
  const recorded = await advanceRefund(ports, { transfer, payments }, event)
  if (recorded === undefined) return
  announce(ports, { transfer, leased, recorded }, outcome)
  const next = nextOutcome(outcome)
  if (next !== null) await recordOutcome(ports, { transfer: recorded, outcome: next })
}

/** A nonce that paid another account can never pay this refund. */
function checkPayee({ payer }: RefundTransfer, outcome: RefundOutcome): RefundOutcome {
  return outcome.status === 'transferred' && outcome.use.to !== payer
    ? { status: 'blocked_for_payee', reason: 'nonce_used_elsewhere' }
    : outcome
}

function eventFor(
  ports: RefundPorts,
  { leased, outcome }: Pick<Required<HeldRefund>, 'leased' | 'outcome'>,
): RefundTransferEvent {
  const at = ports.clock()
  switch (outcome.status) {
    case 'transferred':
      return {
        type: 'confirmed',
        proof: outcome.use.proof,
        nextAttemptAt: at + untilFinal(ports.policy),
        at,
      }
    case 'lost':
    case 'final':
    case 'written_off':
      return { type: outcome.status, at }
    case 'retry_later':
      return retryLater(outcome.delayMs, at)
    case 'blocked_for_payee':
      return blockForPayee(leased, outcome.reason, at)
    case 'blocked_for_system':
      return blockForSystem(ports, leased, { reason: outcome.reason, at })
  }
}

/** The block of a transfer is its first confirmation. */
function untilFinal(policy: RefundPorts['policy']): number {
  const missing = policy.finalConfirmations - 1
  return confirmationWait(policy, { missing, minMs: policy.watchMs })
}

function retryLater(delayMs: number, at: number): RefundTransferEvent {
  return { type: 'postponed', nextAttemptAt: at + delayMs, at }
}

const firstDelayMs = 15_000
const maxDelayMs = 24 * 3_600_000

/** Doubles the wait each time the same obstacle is found. */
function blockForPayee(leased: RefundTransfer, reason: string, at: number): RefundTransferEvent {
  const lastDelay = isBlockedBy(leased, reason) ? leased.nextAttemptAt - leased.updatedAt : 0
  const delay = Math.min(Math.max(lastDelay * 2, firstDelayMs), maxDelayMs)
  return { type: 'blocked', reason, nextAttemptAt: at + delay, at }
}

const systemDelayMs = 10_000
/** An obstacle that disappears within this time is not reported. */
const patienceMs = 20_000

/**
 * The refund is not at fault: it is shown as blocked only once the obstacle has lasted, and stays so
 * when it was signed for another try.
 */
function blockForSystem(
  { breaker }: RefundPorts,
  leased: RefundTransfer,
  { reason, at }: { readonly reason: string | null; readonly at: number },
): RefundTransferEvent {
  const open = breaker.state()
  const lasting = open !== null && at - open.since >= patienceMs ? open.reason : null
  const shown = reason ?? (leased.status === 'blocked' ? leased.reason : null) ?? lasting
  return shown === null
    ? retryLater(systemDelayMs / 2, at)
    : { type: 'blocked', reason: shown, nextAttemptAt: at + systemDelayMs, at }
}

function isBlockedBy({ status, reason }: RefundTransfer, obstacle: string): boolean {
  return status === 'blocked' && reason === obstacle
}

type Change = Required<Omit<HeldRefund, 'outcome' | 'payments'>> & {
  readonly recorded: RefundTransfer
}

/** A refund that stays blocked for this long is reported at each further check. */
const overdueMs = 7 * 24 * 3_600_000

function announce(
  { notify }: RefundPorts,
  { transfer: before, recorded: transfer, leased }: Change,
  outcome: RefundOutcome,
): void {
  switch (outcome.status) {
    case 'transferred': {
      const { value } = outcome.use
      const wasSent = ['signed', 'submitted', 'confirmed'].includes(before.status)
      if (!wasSent || value !== before.amount) {
        notify({ type: 'refund_found', transfer, value })
      }
      notify({ type: 'refund_confirmed', transfer })
      break
    }
    case 'lost':
      notify({ type: 'refund_lost', transfer })
      break
    case 'blocked_for_payee': {
      const { reason } = outcome
      if (!isBlockedBy(leased, reason)) notify({ type: 'refund_blocked', transfer, reason })
      if (transfer.updatedAt - before.createdAt >= overdueMs) {
        notify({ type: 'refund_overdue', transfer, reason })
      }
      break
    }
    case 'blocked_for_system':
      if (transfer.status === 'blocked' && leased.status !== 'blocked') {
        notify({ type: 'refund_blocked', transfer, reason: transfer.reason ?? '' })
      }
      break
    case 'written_off':
      notify({ type: 'refund_written_off', transfer, reason: before.reason ?? '' })
      break
    case 'final':
    case 'retry_later':
      break
  }
}

/** What follows at once. A transfer that moved to another block is still the same refund. */
function nextOutcome(outcome: RefundOutcome): RefundOutcome | null {
  if (outcome.status !== 'lost') return null
  return outcome.use.status === 'transferred'
    ? { status: 'transferred', use: outcome.use }
    : { status: 'retry_later', delayMs: 0 }
}
