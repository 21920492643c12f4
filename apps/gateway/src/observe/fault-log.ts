import type { Logger } from '@farebox/http/log'
import { LedgerError } from '@farebox/ledger'
import type { PaymentNotice } from '@farebox/payments'
import { ChainError } from '@farebox/payments/chain'

export type FaultNotice = Extract<PaymentNotice, { readonly type: 'fault' }>

export type FaultLogOptions = {
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds. */
  readonly now: () => number
}

/** Whether a row of the ledger cannot be read: work continues without it. */
export function isUnreadableRow(error: unknown): boolean {
  return error instanceof LedgerError && error.code === 'corrupt_row'
}

/** The event as which a fault is logged and counted. */
export function eventOf({ error }: FaultNotice): 'row_unreadable' | 'fault' {
  return isUnreadableRow(error) ? 'row_unreadable' : 'fault'
}

/** When a cause was last logged, and how many of its faults have not been logged since then. */
type Cause = { readonly loggedAt: number; repeated: number }

const everyMs = 60_000
/** The most causes that are remembered. */
const maxCauses = 100

/**
 * Logs the first fault of each cause at once, then at most one a minute, with the number of those in
 * between: background work that fails is tried again every second.
 */
export function createFaultLog({ logger, now }: FaultLogOptions): (fault: FaultNotice) => void {
  const causes = new Map<string, Cause>()
  return (notice) => {
    const { during, error } = notice
    const at = now()
    const cause = `${during} ${causeOf(error)}`
    const known = causes.get(cause)
    if (known !== undefined && at - known.loggedAt < everyMs) {
      known.repeated += 1
      return
    }
    causes.delete(cause)
    causes.set(cause, { loggedAt: at, repeated: 0 })
    const [oldest = ''] = causes.keys()
    if (causes.size > maxCauses) causes.delete(oldest)
    const repeated = known?.repeated ?? 0
    const line = { event: eventOf(notice), during, ...shown(error) }
    logger.warn(repeated === 0 ? line : { ...line, repeated })
  }
}

/** Every `ChainError` of one code is one cause, whichever call failed. */
function causeOf(error: unknown): string {
  if (error instanceof ChainError) return error.code
  return error instanceof Error ? `${error.name} ${error.message}` : typeof error
}

/**
 * A node that does not answer, and a row, are named by the message alone; any other fault needs its
 * stack.
 */
function shown(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof LedgerError && isUnreadableRow(error)) return { reason: error.message }
  if (!(error instanceof ChainError) || error.cause !== undefined) return { err: error }
  return { code: error.code, reason: error.message }
}
