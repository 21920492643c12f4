import { CommanderError } from 'commander'
import { errorCode } from './error-code.ts'

/** What each exit status means; `farebox --help` prints it. */
const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  nothingFound: 3,
  notPaid: 4,
} as const

const notPaid = new Set([
  'spend_cap_exceeded',
  'price_changed',
  'signature_timeout',
  'payment_required',
  'payment_rejected',
  'no_acceptable_payment',
  'channel_refused',
])

/** The exit status for an error. */
export function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  const code = errorCode(error) ?? ''
  if (code === 'invalid_option') return exitCodes.usage
  if (code === 'nothing_found' || code === 'not_found') return exitCodes.nothingFound
  return notPaid.has(code) ? exitCodes.notPaid : exitCodes.failed
}
