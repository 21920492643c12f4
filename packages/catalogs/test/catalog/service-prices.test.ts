import { itemizeUsage, readUsageBody } from '@farebox/pricing'
import { expect, test } from 'vitest'
import { servicePrices } from '../../src/catalog/service-prices.ts'
import { shippedCatalog } from '../../src/catalog/shipped-catalog.ts'
import { serviceRates } from '../../src/snapshot/service-rates.ts'

const catalog = shippedCatalog(new Date('2026-11-20'))

test('each service is of a model in the catalog, once, with a dated source', () => {
  const keys = serviceRates.map(({ model, service }) => `${model} ${service}`)
  expect(new Set(keys).size).toBe(keys.length)
  for (const { model, source } of serviceRates) {
    expect(catalog.findChatModel(model), model).toBeDefined()
    expect(source).toMatch(/ \d{4}-\d{2}-\d{2}: /)
  }
})

test('a batch costs less than a call at once, and a cache write more than plain input', () => {
  for (const { model } of serviceRates) {
    const ordinary = catalog.findChatModel(model)?.price.rates
    if (ordinary === undefined) throw new Error(model)
    for (const { service, price } of servicePrices(model)) {
      const { input, output, cacheWrite = 0n } = price.rates
      if (service === 'batch') {
        expect(input < ordinary.input && output < ordinary.output, model).toBe(true)
      } else {
        expect([input, output], model).toEqual([ordinary.input, ordinary.output])
        expect(cacheWrite > input, model).toBe(true)
      }
    }
  }
})

test('a bill with a cache write on request is itemized at its own rate', () => {
  const usage = readUsageBody({
    ...{ input_tokens: 100, cache_creation_input_tokens: 1000, cache_read_input_tokens: 0 },
    output_tokens: 10,
  })
  const written = servicePrices('anthropic/claude-sonnet-4.5').find(
    ({ service }) => service === 'cache-write-5m',
  )
  if (usage === undefined || written === undefined) throw new Error('no usage or no price')
  expect(itemizeUsage(written.price, usage)).toEqual([
    { what: 'input', tokens: 100, rate: 3_000_000n, amount: 300_000_000n },
    { what: 'cache write', tokens: 1000, rate: 3_750_000n, amount: 3_750_000_000n },
    { what: 'output', tokens: 10, rate: 15_000_000n, amount: 150_000_000n },
  ])
})

test('a model without listed services has none', () => {
  expect(servicePrices('acme/unknown')).toEqual([])
})
