import { atomicUsdc } from '@farebox/money'
import { type Paywall, sell } from '@farebox/payments/express'
import { paidRoute } from '@farebox/payments/fastify'
import { paidHandler } from '@farebox/payments/fetch'
import { expect, test } from 'vitest'

const paywall = { gate: {} } as Paywall
const sale = {
  description: 'a word',
  price: () => atomicUsdc(1n),
  serve: async () => ({ cost: atomicUsdc(1n), response: new Response() }),
}
const route = { method: 'POST', url: '/word' } as const

const sellers = [
  ['sell', (changed: object) => sell(paywall, { ...sale, ...changed })],
  ['paidHandler', (changed: object) => paidHandler(paywall, { ...sale, ...changed })],
  ['paidRoute', (changed: object) => paidRoute(paywall, { ...sale, ...route, ...changed })],
] as const

const changes = [
  [{ onfault: console.error }, 'a sale has no option "onfault"'],
  [{ constructor: 1 }, 'a sale has no option "constructor"'],
  [{ serve: undefined }, 'serve of a sale must be a function'],
  [{ price: '$1' }, 'price of a sale must be a function'],
  [{ description: null }, 'description of a sale must be a string'],
  [{ onFault: 'log' }, 'onFault of a sale must be a function'],
] as const

test.each(
  sellers.flatMap(([name, open]) =>
    changes.map(([change, message]) => ({ name, open, change, message })),
  ),
)('$name refuses $change', ({ open, change, message }) => {
  expect(() => open(change)).toThrow(expect.objectContaining({ code: 'invalid_option', message }))
})

test.each([
  ['sell', sell],
  ['paidHandler', paidHandler],
  ['paidRoute', paidRoute],
])('%s without a sale names what is missing', (_, open) => {
  const message = 'description of a sale must be a string'
  expect(() => open(paywall, undefined as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option', message }),
  )
})

test.each([
  ['sell', sell],
  ['paidHandler', paidHandler],
  ['paidRoute', paidRoute],
])('%s without a paywall names what is missing', (_, open) => {
  const message = 'paywall must be an open one: openPaywall({ … })'
  for (const missing of [undefined, null, {}, Promise.resolve(paywall)]) {
    expect(() => open(missing as never, { ...sale, ...route })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message }),
    )
  }
})

test.each([
  ['1mb', 'maxBodyBytes of a sale must be a number'],
  [Number.NaN, 'maxBodyBytes must be zero or above'],
  [-1, 'maxBodyBytes must be zero or above'],
])('paidHandler refuses maxBodyBytes of %o', (maxBodyBytes, message) => {
  const invalid = { ...sale, maxBodyBytes: maxBodyBytes as number }
  expect(() => paidHandler(paywall, invalid)).toThrow(
    expect.objectContaining({ code: 'invalid_option', message }),
  )
})

test('a sale may be an object of a class', () => {
  class Words {
    readonly description = 'a word'
    price(): ReturnType<typeof atomicUsdc> {
      return atomicUsdc(1n)
    }
    async serve() {
      return { cost: atomicUsdc(1n), response: new Response() }
    }
  }
  expect(paidHandler(paywall, new Words())).toBeTypeOf('function')
})
