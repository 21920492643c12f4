import type { Hex, PayerFault } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import { createPayerBudget } from '../../src/policy/payer-budget.ts'
import { newSale } from '../support/claimed-sale.ts'

const payer = newSale.authorization.from
const other: Hex = `0x${'9'.repeat(40)}`

test('a payer has faults until the last one has expired', async () => {
  let now = 0
  const faults: PayerFault[] = []
  const store = {
    recordPayerFault: async (fault: PayerFault) => void faults.push(fault),
    payerFaults: async ({ subject }: { readonly subject: string }) =>
      faults.filter((fault) => fault.subject === subject && fault.expiresAt > now),
  }
  const policy = { ...defaultPaymentPolicy, payerFaultWindowMs: 1_000 }
  const onFault = () => undefined
  const budget = createPayerBudget({ store, policy, clock: () => now, onFault })
  expect(await budget.hasFaults(payer)).toBe(false)
  await budget.count({ payment: newSale, cause: 'client_left' })
  expect([await budget.hasFaults(payer), await budget.hasFaults(other)]).toEqual([true, false])
  now = 1_000
  expect(await budget.hasFaults(payer)).toBe(false)
})
