import { createPaymentId, type Hex, type PayerFault, type PaymentRecord } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import { createPayerBudget } from '../../src/policy/payer-budget.ts'

const payer: Hex = `0x${'1'.repeat(40)}`
const other: Hex = `0x${'2'.repeat(40)}`
const payment = {
  id: createPaymentId(0, new Uint8Array(10)),
  authorization: { from: payer },
} as unknown as PaymentRecord

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
  await budget.count({ payment, cause: 'client_left' })
  expect([await budget.hasFaults(payer), await budget.hasFaults(other)]).toEqual([true, false])
  now = 1_000
  expect(await budget.hasFaults(payer)).toBe(false)
})
