import { expect, test } from 'vitest'
import { createPaymentId, parsePaymentId } from '../../src/index.ts'

test('a payment id is pay_ and 16 bytes in hexadecimal', () => {
  const bytes = Uint8Array.from({ length: 16 }, (_, index) => index * 17)
  expect(createPaymentId(bytes)).toBe('pay_00112233445566778899aabbccddeeff')
})

test.each([0, 15, 17])('%i bytes are rejected', (length) => {
  expect(() => createPaymentId(new Uint8Array(length))).toThrow(
    expect.objectContaining({ code: 'invalid_payment' }),
  )
})

test.each([
  '',
  'pay_1',
  `pay_${'G'.repeat(32)}`,
  `pay_${'A'.repeat(32)}`,
  ` pay_${'a'.repeat(32)}`,
])('%j is not a payment id', (text) => {
  expect(parsePaymentId(text)).toBe(undefined)
})

test('a payment id is parsed unchanged', () => {
  const id = createPaymentId(new Uint8Array(16).fill(7))
  expect(parsePaymentId(id)).toBe(id)
})
