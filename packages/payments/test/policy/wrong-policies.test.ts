import { createMemoryStore } from '@farebox/ledger'
import { channelPolicy, defaultPaymentPolicy, type PayerLimits } from '@farebox/payments'
import { expect, test } from 'vitest'
import { createPayerLimiter } from '../../src/policy/payer-limits.ts'
import { paymentPolicy } from '../../src/policy/payment-policy.ts'
import { newSale } from '../support/claimed-sale.ts'

test.each([
  [null, 'settlementGas must be an object and is null'],
  [{}, 'settlementGas.key must be a bigint and is undefined'],
  [{ key: 1n }, 'settlementGas.wallet must be a bigint and is undefined'],
  [{ key: 1n, wallet: 2 }, 'settlementGas.wallet must be a bigint and is 2'],
  [{ key: 1n, wallet: -1n }, 'settlementGas.wallet must be zero or above and is -1'],
  [{ key: 1n, wallet: 2n, keys: 3n }, 'settlementGas.keys is not a member of the policy'],
])('gas limits of settlements that are %o are rejected', (settlementGas, message) => {
  const changes = { settlementGas: settlementGas as never }
  expect(() => paymentPolicy({ ...defaultPaymentPolicy, ...changes })).toThrow(
    expect.objectContaining({ code: 'invalid_payment_policy', message }),
  )
})

test.each([
  [{ depositGas: { key: 1n } }, 'depositGas.wallet must be a bigint and is undefined'],
  [{ newPayers: 0n }, 'newPayers must be above zero and is 0'],
])('a policy of channels with %o is rejected', (changes, message) => {
  expect(() => channelPolicy(changes as never)).toThrow(
    expect.objectContaining({ code: 'invalid_payment_policy', message }),
  )
})

test.each([
  [{ requestsPerMinute: 10 }, 'spendPerDay'],
  [{ requestsPerMinute: null, spendPerDay: 1_000 }, 'spendPerDay'],
  [{ requestsPerMinute: null, spendPerDay: -1n }, 'spendPerDay'],
  [{ spendPerDay: 10n }, 'requestsPerMinute'],
  [{ requestsPerMinute: Number.NaN, spendPerDay: null }, 'requestsPerMinute'],
  [{ requestsPerMinute: 1.5, spendPerDay: null }, 'requestsPerMinute'],
  [{ requestsPerMinute: -1, spendPerDay: null }, 'requestsPerMinute'],
  [{ requestsPerMinute: 10n, spendPerDay: null }, 'requestsPerMinute'],
])('no payment is claimed under limits of its payer that are %o', async (limits, member) => {
  let isClaimed = false
  const limiter = createPayerLimiter({
    store: createMemoryStore(),
    clock: () => 0,
    limitsOf: () => limits as unknown as PayerLimits,
  })
  const claim = async (): Promise<void> => {
    isClaimed = true
  }
  await expect(limiter.within(newSale.authorization, claim)).rejects.toMatchObject({
    code: 'invalid_payment_policy',
    message: expect.stringContaining(`${member} must be`),
  })
  expect(isClaimed).toBe(false)
})
