import { atomicUsdc } from '@farebox/money'
import { describe, expect, test } from 'vitest'
import type { Priced } from '../../../src/paid/paid-endpoint.ts'
import { createQuoteMemory } from '../../../src/paid/quote/quote-memory.ts'

const offer = { amount: atomicUsdc(10n), model: 'm', priceVersion: 'v1' }
const earlier = { ...offer, priceVersion: 'v0' }

function bodyOf(text: string) {
  return { status: 'json', value: text, bytes: [new TextEncoder().encode(text)] } as const
}

/** A memory, and how often a quote was asked for. */
function counted(options: { readonly maxBytes?: number } = {}) {
  let asked = 0
  let prices = {}
  const memory = createQuoteMemory<string>({ prices: () => prices, ...options })
  const price =
    (offers: Extract<Priced<string>, { status: 'priced' }>['offers']) =>
    async (): Promise<Priced<string>> => {
      asked += 1
      return { status: 'priced', sale: `${asked}`, offers, digest: '', challenge: {} }
    }
  return {
    memory,
    quoted: (text: string, offers = [offer] as const) =>
      memory.quoted(bodyOf(text), price([...offers])),
    price,
    changePrices: () => {
      prices = {}
    },
    asked: () => asked,
  }
}

describe('a quote is kept for an identical body', () => {
  test('at the same prices, and only the same bytes', async () => {
    const { quoted, asked } = counted()
    const first = await quoted('{"a":1}')
    expect(await quoted('{"a":1}')).toBe(first)
    expect(await quoted('{"a": 1}')).not.toBe(first)
    expect(asked()).toBe(2)
  })

  test('not after a price changed', async () => {
    const { quoted, changePrices, asked } = counted()
    const first = await quoted('{}')
    changePrices()
    expect(await quoted('{}')).not.toBe(first)
    expect(asked()).toBe(2)
  })

  test('not while an earlier price is honored, which depends on the time', async () => {
    const { memory, price, asked } = counted()
    await memory.quoted(bodyOf('{}'), price([offer, earlier]))
    await memory.quoted(bodyOf('{}'), price([offer, earlier]))
    expect(asked()).toBe(2)
  })

  test('not for a refusal, an absent body, or one whose bytes are gone', async () => {
    const { memory, price, asked } = counted()
    const refusal = async (): Promise<Priced<string>> => ({
      status: 'refused',
      error: { status: 400, headers: {}, code: 'invalid_json', body: {} },
    })
    await memory.quoted(bodyOf('{}'), refusal)
    for (const body of [
      bodyOf('{}'),
      { status: 'absent' },
      { status: 'json', value: 1 },
    ] as const) {
      await memory.quoted(body, price([offer]))
    }
    await memory.quoted({ status: 'absent' }, price([offer]))
    expect(asked()).toBe(4)
  })
})

describe('the memory of quotes is bounded', () => {
  test('the least recently used quote is dropped first', async () => {
    const { quoted, asked } = counted({ maxBytes: 30_000 })
    await quoted('"a"')
    await quoted('"b"')
    await quoted('"c"')
    await quoted('"a"')
    await quoted('"d"')
    expect(asked()).toBe(4)
    await quoted('"a"')
    expect(asked()).toBe(4)
    await quoted('"b"')
    expect(asked()).toBe(5)
  })

  test('a body above 64 KB pushes nothing out', async () => {
    const { quoted, asked } = counted()
    const large = JSON.stringify('x'.repeat(64 * 1024))
    await quoted(large)
    await quoted(large)
    expect(asked()).toBe(2)
  })
})
