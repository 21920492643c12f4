import { expect, test } from 'vitest'
import { createPaymentId, parsePaymentId } from '../../src/index.ts'

const random = Uint8Array.from({ length: 10 }, (_, index) => (index + 6) * 17)

test('a payment id is pay_, the time and 10 bytes in hexadecimal', () => {
  expect(createPaymentId(0x1122334455, random)).toBe('pay_00112233445566778899aabbccddeeff')
})

test('ids rise with time, whatever the random bytes are', () => {
  const [low, high] = [new Uint8Array(10), new Uint8Array(10).fill(255)]
  const ids = [createPaymentId(0xff, high), createPaymentId(0x100, low)]
  expect(ids.toSorted()).toEqual(ids)
})

test.each([0, 9, 11, 16])('%i bytes are rejected', (length) => {
  expect(() => createPaymentId(0, new Uint8Array(length))).toThrow(
    expect.objectContaining({ code: 'invalid_payment' }),
  )
})

test.each([-1, 0.5, Number.NaN, 2 ** 48])('the time %d is rejected', (at) => {
  expect(() => createPaymentId(at, random)).toThrow(
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
  const id = createPaymentId(2 ** 48 - 1, random)
  expect(parsePaymentId(id)).toBe(id)
})
