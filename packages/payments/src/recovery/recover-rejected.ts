import type { PaymentRecord } from '@farebox/ledger'
import type { Block, ChainTransfer } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import { faultReporter } from '../events/fault-reporter.ts'
import { rowAlone } from '../events/row-alone.ts'
import { recordVerdict, resolveSettlement } from '../settlement/resolve-settlement.ts'
import { recoverUnserved } from './recover-unserved.ts'
import type { RecoveryPorts } from './recovery-ports.ts'

/** Transfers before the claim are found too, by about so many blocks. */
const blocksBehind = 100

/**
 * Checks rejected payments. A rejected authorization can still be executed by any party that has it,
 * until it expires, and costs its payer nothing to make: so all of them are checked together, by one
 * search of the transfers to us, and rarely. Any number of them causes the same few calls.
 *
 * @returns when each payment is to be checked next, in milliseconds since 1970; null when it has
 * ended.
 */
export async function recoverRejected(
  ports: RecoveryPorts,
  payments: readonly PaymentRecord[],
): Promise<ReadonlyMap<PaymentRecord, number | null>> {
  const { clock, policy } = ports
  const period = Math.floor(clock() / policy.rejectedPollMs)
  const nextCheck = (period + 1) * policy.rejectedPollMs
  const due = payments.filter(
    ({ updatedAt }) => Math.floor(updatedAt / policy.rejectedPollMs) < period,
  )
  const checks = new Map<PaymentRecord, number | null>(
    payments.map((payment) => [payment, nextCheck]),
  )
  if (due.length === 0) return checks
  const arrivals = await readArrivals(ports, due)
  for (const payment of due) {
    const hasEnded = await rowAlone(faultReporter(ports, 'recovery'), () =>
      tryToEnd(ports, payment, arrivals),
    )
    if (hasEnded === true) checks.set(payment, null)
  }
  return checks
}

type Arrivals = { readonly keys: ReadonlySet<string>; readonly head: Block }

/** The transfers to us since the first of these payments was claimed. */
async function readArrivals(
  { chain }: RecoveryPorts,
  payments: readonly PaymentRecord[],
): Promise<Arrivals> {
  const head = await chain.head()
  const fromBlock = Math.max(
    0,
    Math.min(...payments.map((payment) => payment.intentBlock)) - blocksBehind,
  )
  const targets = new Map(
    payments.map(({ authorization: { asset, to } }) => [`${asset}:${to}`, { asset, address: to }]),
  )
  const keys = new Set<string>()
  for (const target of targets.values()) {
    const transfers = await chain.transfersOf({ ...target, fromBlock, toBlock: head.number })
    for (const transfer of transfers) keys.add(arrivalKey(transfer))
  }
  return { keys, head }
}

function arrivalKey({ from, to, value, nonce }: Omit<ChainTransfer, 'proof'>): string {
  return `${lowerHex(from)}:${lowerHex(to)}:${value}:${nonce === null ? '' : lowerHex(nonce)}`
}

/** Ends a payment whose money arrived after all, or that expired a whole period ago; false for any other. */
async function tryToEnd(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  { keys, head }: Arrivals,
): Promise<boolean> {
  const { policy } = ports
  if (keys.has(arrivalKey(payment.authorization))) {
    const { payment: resolved } = await resolveSettlement(ports, payment)
    if (resolved.status === 'settled') await recoverUnserved(ports, resolved)
    return resolved.status !== 'rejected'
  }
  // The period makes up for a node whose index of logs is behind its head.
  const margin = policy.voidMarginSeconds + policy.rejectedPollMs / 1000
  if (head.timestamp <= payment.authorization.validBefore + margin) return false
  const ended = await recordVerdict(ports, payment, { status: 'expired' })
  return ended.status !== 'rejected'
}
