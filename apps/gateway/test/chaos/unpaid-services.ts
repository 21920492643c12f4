import type { PaymentRecord } from '@farebox/ledger'
import type { Purchase } from './buyer.ts'

/** One request that reached the provider, by the process that sent it. */
export type ServedRequest = {
  readonly label: string
  /** The key of one process of a gateway. */
  readonly sender: string
}

export type Services = {
  readonly purchases: readonly Purchase[]
  readonly payments: readonly PaymentRecord[]
  readonly served: readonly ServedRequest[]
  /** Payments whose loss a process reported. */
  readonly reported: ReadonlySet<string>
  /** Processes that were not killed. */
  readonly survivors: ReadonlySet<string>
  /** What one process may lose, in atomic units. */
  readonly cap: bigint
}

export type UnpaidServices = {
  /** How many services were not paid for, and no money came. */
  readonly unpaid: number
  readonly faults: readonly string[]
}

/** Judges services that began before their payment was proven. */
export function unpaidServices(services: Services): UnpaidServices {
  const { purchases, payments, served, reported, survivors, cap } = services
  const byNonce = new Map(payments.map((payment) => [payment.authorization.nonce, payment]))
  const byLabel = new Map(
    purchases.map(({ label, nonce }) => [label, nonce && byNonce.get(nonce)] as const),
  )
  const faults: string[] = []
  for (const { label, outcome } of purchases) {
    const isPaid = (byLabel.get(label)?.cost ?? 0n) > 0n
    if (outcome === 'answered' && !isPaid) faults.push(`${label} was answered and not paid`)
  }
  const lost = new Map<string, bigint>()
  let unpaid = 0
  for (const { label, sender } of served) {
    const payment = byLabel.get(label)
    if (payment === undefined) {
      faults.push(`${label} was served without a payment`)
    } else if (payment.status === 'rejected' || payment.status === 'void') {
      unpaid += 1
      lost.set(sender, (lost.get(sender) ?? 0n) + payment.authorization.value)
      const isCounted = reported.has(payment.id) || !survivors.has(sender)
      if (!isCounted) faults.push(`${label} was served, not paid and not counted`)
    }
  }
  for (const [sender, value] of lost) {
    if (value > cap) faults.push(`${sender} lost ${value} of at most ${cap}`)
  }
  return { unpaid, faults }
}
