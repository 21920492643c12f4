import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { channelEventOf } from '../../src/channel/channel-of-payment.ts'
import { newCall } from '../../src/conformance/channels/channel-fixtures.ts'
import { start } from '../../src/conformance/fixtures.ts'
import type { PaymentRecord } from '../../src/index.ts'

function call(state: Pick<PaymentRecord, 'status' | 'cost'>): PaymentRecord {
  return { ...newCall(1, 1, 1_000n), ...state } as PaymentRecord
}

const serving = call({ status: 'serving', cost: null })
const completed = call({ status: 'completed', cost: atomicUsdc(400n) })

test('a call is charged when it ends, and only then', () => {
  const { value: ceiling } = completed.authorization
  const charged = { type: 'charged', ceiling, cost: 400n, at: start }
  expect(channelEventOf(serving, completed, start)).toEqual(charged)
  expect(channelEventOf(completed, completed, start)).toBeNull()
  expect(channelEventOf(serving, serving, start)).toBeNull()
})

test('a call that failed releases what was held for it', () => {
  const failed = call({ status: 'failed', cost: atomicUsdc(0n) })
  const { value: ceiling } = failed.authorization
  const released = { type: 'released', ceiling, at: start }
  expect(channelEventOf(serving, failed, start)).toEqual(released)
})
