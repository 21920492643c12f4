import type { PaymentId } from '@farebox/ledger'
import type { PaymentPolicy } from './payment-policy.ts'

/** Which unserved payments are too many, and until when, in milliseconds since 1970. */
export type UnservedRefusal = { readonly of: 'address' | 'all'; readonly until: number }

/** Payments that ended unserved through their client. Each cost two transactions, or what a provider bills. */
export type UnservedBudget = {
  /**
   * Counts a payment once, as `size` of the limits; 1 by default. `clientAddress` is the network
   * address of the client, if it is known.
   */
  count(payment: { readonly id: PaymentId }, clientAddress: string | undefined, size?: number): void
  /** The client of the payment has returned. What counts as more than `size` stays. */
  forgive(payment: { readonly id: PaymentId }, size?: number): void
  /** Undefined when a client at this address may pay. */
  refusalOf(clientAddress: string | undefined): UnservedRefusal | undefined
}

type Fault = {
  readonly clientAddress: string | undefined
  readonly until: number
  readonly size: number
}

/** Oldest first, with the sum of their sizes. */
type Faults = { readonly counted: Set<Fault>; size: number }

const hourMs = 3_600_000

/** The part of its own limit that an address keeps once those of all addresses are used up. */
const keptShare = 10

/**
 * Limits by network address what wallets can cost that stay below the limit of a payer. It counts in
 * this process: no ledger holds addresses, and a client cannot cause a restart. The limit of all
 * addresses stops no sales, since a few addresses could use it up: an address whose own payments are
 * served is not refused.
 */
export function createUnservedBudget({
  policy: { unservedPerAddress, unservedPerHour },
  clock,
}: {
  readonly policy: Pick<PaymentPolicy, 'unservedPerAddress' | 'unservedPerHour'>
  readonly clock: () => number
}): UnservedBudget {
  const faults = new Map<PaymentId, Fault>()
  const ofAll = noFaults()
  const byAddress = new Map<string, Faults>()
  const keptPerAddress = Math.ceil(unservedPerAddress / keptShare)

  function remove(id: PaymentId, fault: Fault): void {
    const { clientAddress } = fault
    faults.delete(id)
    removeFrom(ofAll, fault)
    if (clientAddress === undefined) return
    const own = byAddress.get(clientAddress) ?? noFaults()
    removeFrom(own, fault)
    if (own.counted.size === 0) byAddress.delete(clientAddress)
  }

  function removeExpired(): void {
    for (const [id, fault] of faults) {
      if (fault.until > clock()) return
      remove(id, fault)
    }
  }

  return {
    count({ id }, clientAddress, size = 1) {
      if (faults.has(id)) return
      const fault = { clientAddress, until: clock() + hourMs, size }
      faults.set(id, fault)
      addTo(ofAll, fault)
      if (clientAddress === undefined) return
      const own = byAddress.get(clientAddress) ?? noFaults()
      addTo(own, fault)
      byAddress.set(clientAddress, own)
    },
    forgive({ id }, size = 1) {
      const fault = faults.get(id)
      if (fault !== undefined && fault.size <= size) remove(id, fault)
    },
    refusalOf(clientAddress) {
      removeExpired()
      const own = byAddress.get(clientAddress ?? '') ?? noFaults()
      const until = fullUntil(own, unservedPerAddress)
      if (until !== undefined) return { of: 'address', until }
      const allUntil = fullUntil(ofAll, unservedPerHour)
      if (allUntil === undefined) return undefined
      if (clientAddress === undefined) return { of: 'all', until: allUntil }
      const keptUntil = fullUntil(own, keptPerAddress)
      return keptUntil === undefined
        ? undefined
        : { of: 'all', until: Math.min(allUntil, keptUntil) }
    },
  }
}

function noFaults(): Faults {
  return { counted: new Set(), size: 0 }
}

function addTo(faults: Faults, fault: Fault): void {
  faults.counted.add(fault)
  faults.size += fault.size
}

function removeFrom(faults: Faults, fault: Fault): void {
  faults.counted.delete(fault)
  faults.size -= fault.size
}

/** When less than `allowed` of them counts again; undefined if it does now. */
function fullUntil({ counted, size }: Faults, allowed: number): number | undefined {
  let rest = size
  let until: number | undefined
  for (const fault of counted) {
    if (rest < allowed) break
    rest -= fault.size
    until = fault.until
  }
  return until
}
