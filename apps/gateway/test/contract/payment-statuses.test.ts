import { paymentSchema } from '@farebox/api'
import { paymentStatuses, refundStatuses } from '@farebox/ledger'
import { expect, test } from 'vitest'

const { status, refund } = paymentSchema.shape

test('the published schema lists the statuses of a payment in the ledger', () => {
  expect(status.options).toEqual(paymentStatuses)
})

test('the published schema lists the statuses of a refund, except those shown as blocked', () => {
  const shown = refundStatuses.filter((each) => each !== 'written_off')
  expect(refund.unwrap().shape.status.options).toEqual(shown)
})
