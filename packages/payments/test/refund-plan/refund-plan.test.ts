import type { PaymentRecord } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import { refundOnChain } from '../../src/refund-plan/refund-in-full.ts'
import { planRefund } from '../../src/refund-plan/refund-plan.ts'
import { claimedSale } from '../support/claimed-sale.ts'
import { usdc } from '../support/pay.ts'

const payment: PaymentRecord = { ...claimedSale, updatedAt: 1_000_000 }

const policy = { ...defaultPaymentPolicy, refundConfirmations: 10, blockMs: 2_000 }
const refundMinimum = { current: () => usdc(1_000n), refresh: async () => undefined }
const ports = { policy, refundMinimum }

test('a refund is due when its settlement can have all its confirmations, of which its block is one', () => {
  expect(planRefund(ports, payment, usdc(1_000n))).toMatchObject({
    kind: 'transfer',
    dueAt: 1_000_000 + 9 * 2_000,
  })
  expect(planRefund(ports, payment, usdc(999n))).toEqual({ kind: 'batch' })
})

test('no transfer is planned for the rest of a call, which stays in its channel', () => {
  const call: PaymentRecord = { ...payment, kind: 'channel_call' }
  expect(planRefund(ports, call, usdc(1_000n))).toEqual({ kind: 'batch' })
})

test('the refund of a sale is read from the chain, and a call of a channel has none', async () => {
  const chain = {
    authorizationUse: async () => ({ status: 'transferred', value: usdc(4_000n) }),
  }
  const reading = { chain } as unknown as Parameters<typeof refundOnChain>[0]
  expect(await refundOnChain(reading, payment)).toBe(4_000n)
  expect(await refundOnChain(reading, { ...payment, kind: 'channel_call' })).toBeUndefined()
})
