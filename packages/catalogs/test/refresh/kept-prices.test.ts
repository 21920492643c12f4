import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import {
  createRefresher,
  type PriceFeed,
  type PriceStore,
  type Refresher,
} from '../../src/refresh.ts'
import { listedRecord } from './listed-record.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-20T12:00:00Z')

/** The input rates that the list returns, by model. */
let listed: Readonly<Record<string, string>>
let now: number
let saved: string[]

beforeEach(() => {
  listed = {}
  now = start
  saved = []
})

const feed: PriceFeed = {
  name: 'list',
  url: 'list',
  read:
    () =>
    ({ model }) => {
      const input = listed[model]
      return input === undefined ? undefined : { input, output: '2' }
    },
}

const memory: PriceStore = {
  load: () => Promise.resolve(undefined),
  save: (text) => {
    saved.push(text)
    return Promise.resolve()
  },
}

function refresher(store = memory): Promise<Refresher> {
  return createRefresher({
    data: { chat: [listedRecord('a/one'), listedRecord('b/two')], images: [] },
    fetchJson: () => Promise.resolve({}),
    store,
    now: () => now,
    feeds: [feed],
  })
}

function inputOf(live: Refresher, id: string): bigint | undefined {
  return live.catalog().findChatModel(id)?.price.rates.input
}

function lastStarts(): readonly string[] {
  const { updates } = JSON.parse(saved.at(-1) ?? '') as {
    updates: readonly { readonly price: { readonly effectiveFrom: string } }[]
  }
  return updates.map(({ price }) => price.effectiveFrom)
}

test('of two refreshes at once, the prices of the second are saved last', async () => {
  const held = Promise.withResolvers<undefined>()
  let saves = 0
  const live = await refresher({
    ...memory,
    save: async (text) => {
      saves += 1
      if (saves === 1) await held.promise
      await memory.save(text)
    },
  })
  listed = { 'a/one': '1.5' }
  const first = live.refresh()
  await expect.poll(() => saves).toBe(1)
  listed = { 'a/one': '2' }
  const second = live.refresh()
  await setImmediate()
  held.resolve(undefined)
  await Promise.all([first, second])
  expect(inputOf(live, 'a/one')).toBe(2_000_000n)
  expect(saved.at(-1)).toContain('"input":"2"')
})

test('a new price of one model leaves the coming decrease of another', async () => {
  const live = await refresher()
  listed = { 'a/one': '0.5' }
  await live.refresh()
  now += hour
  listed = { 'a/one': '0.5', 'b/two': '1.5' }
  await live.refresh()
  now = start + 24 * hour
  expect(inputOf(live, 'a/one')).toBe(500_000n)
})

test('a price that is replaced at the moment it starts stays known', async () => {
  const live = await refresher()
  listed = { 'a/one': '1.5' }
  await live.refresh()
  listed = { 'a/one': '2' }
  await live.refresh()
  const recent = live.catalog().recentPrices('a/one', start - 1)
  expect(recent.map(({ rates }) => rates.input)).toEqual([2_000_000n, 1_500_000n, 1_000_000n])
})

test('a model keeps its latest price, however old, when others change', async () => {
  const live = await refresher()
  for (const next of [{ 'a/one': '1.5' }, { 'b/two': '1.5' }, { 'b/two': '1.6' }]) {
    listed = next
    await live.refresh()
    now += 30 * hour
  }
  expect(inputOf(live, 'a/one')).toBe(1_500_000n)
})

test('of the prices from before the last day, the one in force when it began is kept', async () => {
  const live = await refresher()
  for (const [at, input] of [
    [0, '1.5'],
    [1, '1.6'],
    [25, '1.7'],
  ] as const) {
    now = start + at * hour
    listed = { 'a/one': input }
    await live.refresh()
  }
  expect(lastStarts()).toEqual(['2026-11-20T13:00:00.000Z', '2026-11-21T13:00:00.000Z'])
})
