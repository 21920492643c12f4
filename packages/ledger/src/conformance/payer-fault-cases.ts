import type { PayerFault } from '../payment/payer-fault.ts'
import { maxPayerFaults } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { claimed, newPayment, start } from './fixtures.ts'

const payer = `0x${'b'.repeat(40)}`
const now = start

/** Faults count against a payer on every replica, once each, until they expire. */
export const payerFaultCases: readonly ConformanceCase[] = [
  {
    name: 'faults of a payer are read by every replica, the latest first, until they expire',
    run: async ({ store, other }, expect) => {
      const faults = [fault(1, start + 10), fault(2, start + 30), fault(3, start + 20)]
      for (const [index, one] of faults.entries()) {
        await claimed(store, index + 1)
        await store.recordPayerFault(one)
      }
      await store.recordPayerFault({ ...fault(1, start + 50), subject: 'another payer' })
      const [first, second, third] = faults
      expect(await other.payerFaults({ subject: payer, now })).toEqual([second, third, first])
      const later = { subject: payer, now: start + 20 }
      expect(await other.payerFaults(later)).toEqual([second])
      expect(await other.payerFaults({ subject: 'nobody', now })).toEqual([])
    },
  },
  {
    name: 'of more faults than are read, the latest are',
    run: async ({ store, other }, expect) => {
      await claimed(store, 1)
      for (let number = 0; number <= maxPayerFaults; number += 1) {
        await store.recordPayerFault(fault(1, start + 1 + number))
      }
      const faults = await other.payerFaults({ subject: payer, now })
      expect(faults.length).toBe(maxPayerFaults)
      expect(faults[0]).toEqual(fault(1, start + 1 + maxPayerFaults))
      expect(faults.at(-1)).toEqual(fault(1, start + 2))
    },
  },
  {
    name: 'each attempt at a payment counts, and none of them when the fault is forgiven',
    run: async ({ store, other }, expect) => {
      const { id } = await claimed(store, 1)
      await store.recordPayerFault(fault(1, start + 10))
      await other.recordPayerFault(fault(1, start + 20))
      await store.recordPayerFault(fault(1, start + 20))
      const reverted = { ...fault(1, start + 5), cause: 'settlement_reverted' } as const
      await other.recordPayerFault(reverted)
      expect(await store.payerFaults({ subject: payer, now })).toEqual([
        fault(1, start + 20),
        fault(1, start + 10),
        reverted,
      ])
      await store.forgivePayerFault({ paymentId: id, cause: 'client_left' })
      expect(await other.payerFaults({ subject: payer, now })).toEqual([reverted])
      expect(await other.payerFaultsOf(id)).toEqual([reverted])
      expect(await other.payerFaultsOf(newPayment(2).id)).toEqual([])
    },
  },
  {
    name: 'prune deletes only expired faults',
    run: async ({ store }, expect) => {
      const { id } = await claimed(store, 1)
      await store.recordPayerFault(fault(1, start + 10))
      await store.prune({ now: start + 9, unpaidBefore: start })
      expect(await store.payerFaultsOf(id)).toEqual([fault(1, start + 10)])
      await store.prune({ now: start + 10, unpaidBefore: start })
      expect(await store.payerFaultsOf(id)).toEqual([])
    },
  },
]

function fault(number: number, expiresAt: number): PayerFault {
  const { id } = newPayment(number)
  return { paymentId: id, subject: payer, cause: 'client_left', expiresAt }
}
