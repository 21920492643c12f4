import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatEstimateSchema, chatModelListSchema } from '@farebox/api'
import { closeServer, listen } from '@farebox/http'
import { createLogger } from '@farebox/http/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { startEstimator } from '../src/start-estimator.ts'

const model = 'openai/gpt-4.1-mini'
let lists: Server
let listUrl: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-estimator-'))
  lists = createServer((_request, response) => {
    const pricing = { prompt: '0.0000008', completion: '0.0000032' }
    response.end(JSON.stringify({ data: [{ id: model, context_length: 1_000_000, pricing }] }))
  })
  listUrl = await listen(lists, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await closeServer(lists)
  await rm(folder, { recursive: true })
})

function start(environment: Readonly<Record<string, string>>) {
  // The lists are polled until the refresh is done, however many requests that takes.
  const unlimited = { RATE_LIMIT_PER_MINUTE: '100000' }
  const read = readConfig({ PORT: '0', DATA_DIR: folder, ...unlimited, ...environment })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return startEstimator(read.values, createLogger('silent'))
}

async function listed(url: string): Promise<number | undefined> {
  const list = chatModelListSchema.parse(await (await fetch(`${url}/v1/models`)).json())
  return list.models.find(({ id }) => id === model)?.pricing.input_per_1k_tokens
}

async function estimated(url: string): Promise<string> {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10_000 }
  const response = await fetch(`${url}/v1/estimate`, { method: 'POST', body: JSON.stringify(body) })
  return chatEstimateSchema.parse(await response.json()).estimatedCost.usd
}

test('refreshed prices appear in lists and estimates, and survive a restart', async () => {
  const off = await start({})
  expect(await listed(off.url)).toBe(0.0004)
  const before = await estimated(off.url)
  await off.stop()

  const urls = {
    CATALOG_REFRESH: 'on',
    CATALOG_REFRESH_OPENROUTER_URL: listUrl,
    CATALOG_REFRESH_MODELS_DEV_URL: listUrl,
  }
  const on = await start(urls)
  await expect.poll(() => listed(on.url)).toBe(0.0008)
  expect(Number(await estimated(on.url))).toBeCloseTo(2 * Number(before), 5)
  await on.stop()
  expect(await readdir(folder)).toEqual(['catalog-prices.json'])

  const nowhere = 'http://127.0.0.1:9/'
  const again = await start({
    ...urls,
    CATALOG_REFRESH_OPENROUTER_URL: nowhere,
    CATALOG_REFRESH_MODELS_DEV_URL: nowhere,
  })
  expect(await listed(again.url)).toBe(0.0008)
  await again.stop()
})

test('the settings of the refresh are validated with all others', () => {
  const read = readConfig({
    CATALOG_REFRESH: 'yes',
    CATALOG_REFRESH_MINUTES: '0',
    CATALOG_REFRESH_MODELS_DEV_URL: 'ftp://models.dev',
  })
  expect(read.status === 'invalid' && read.problems.map((text) => text.split(' ')[0])).toEqual([
    'CATALOG_REFRESH',
    'CATALOG_REFRESH_MINUTES',
    'CATALOG_REFRESH_MODELS_DEV_URL',
  ])
})
