import { createPaymentId, type PaymentId } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createHeldCalls } from '../../src/channel-gate/held-calls.ts'

const idOf = (number: number): PaymentId => createPaymentId(number, new Uint8Array(10))

test('a call is taken out once', () => {
  const held = createHeldCalls()
  held.add(idOf(1), { base: 7n, deposit: null })
  expect(held.take(idOf(1))).toEqual({ base: 7n, deposit: null })
  expect(held.take(idOf(1))).toBeUndefined()
})

test('of 10,001 calls that are not taken out, the oldest is dropped', () => {
  const held = createHeldCalls()
  for (let number = 0; number <= 10_000; number += 1) {
    held.add(idOf(number), { base: BigInt(number), deposit: null })
  }
  expect(held.take(idOf(0))).toBeUndefined()
  expect(held.take(idOf(1))?.base).toBe(1n)
  expect(held.take(idOf(10_000))?.base).toBe(10_000n)
})
