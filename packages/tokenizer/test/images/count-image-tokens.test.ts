import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  countChatTokens,
  counterForModel,
  countImageTokens,
  type ImageDetail,
} from '../../src/index.ts'
import { createCounterStore } from '../../src/pool/counter-store.ts'
import { billsFile, hasBills, type RecordedRequest } from '../support/bills.ts'
import { pngUrl } from '../support/image-headers.ts'

const store = createCounterStore({ vocabularies: {}, factors: {} })
const photo = { width: 4032, height: 3024 }
const square = { width: 1024, height: 1024 }

/** The examples of the makers' guides, and what follows from their rules. */
test.each([
  ['openai/gpt-4o', square, 'high', 765],
  ['gpt-4o', { width: 2048, height: 4096 }, 'high', 1_105],
  ['gpt-4o', { width: 4096, height: 8192 }, 'low', 85],
  ['gpt-4o-mini', { width: 1, height: 1 }, undefined, 8_500],
  ['gpt-4.1-mini', square, undefined, Math.ceil(1_024 * 1.62)],
  ['gpt-4.1-nano', { width: 1800, height: 2400 }, undefined, Math.ceil(1_536 * 2.46)],
  ['gpt-5.4', photo, 'high', 3_000],
  ['gpt-5.4', photo, 'original', 12_000],
  ['gpt-4o', square, 'original', 765],
  ['o1', square, 'auto', 675],
  ['anthropic/claude-sonnet-4.5', { width: 1092, height: 1092 }, undefined, 39 * 39],
  ['claude-opus-4-7', photo, undefined, 4_784],
  ['anthropic/claude-4.7-opus-20260416', photo, undefined, 4_784],
  ['gemini-2.5-flash', { width: 384, height: 384 }, undefined, 258],
  ['google/gemini-2.5-pro', { width: 960, height: 540 }, undefined, 6 * 258],
  ['google/gemini-3.8-flash', photo, undefined, 1_120],
  ['qwen/qwen2.5-vl-72b-instruct', { width: 540, height: 360 }, undefined, 19 * 13 + 2],
  ['mistralai/pixtral-12b', square, undefined, 65 * 64],
  ['x-ai/grok-4', { width: 448, height: 448 }, undefined, 512],
] as const)('%s, %o, detail %s: %i tokens', (model, size, detail, tokens) => {
  expect(countImageTokens(model, { size, detail }).tokens).toBe(tokens)
})

const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5.4', 'gpt-5.5', 'gpt-6.1-sol']
models.push('o4-mini', 'claude-haiku-4-5', 'claude-opus-5', 'gemini-2.5-pro', 'gemini-3.8-flash')
models.push('gemma-4-31b', 'llama-4-scout', 'pixtral-12b', 'mistral-small-2603', 'qwen3-vl-8b')
models.push('grok-4.3', 'moonshotai/kimi-k3', '')
const details: readonly ImageDetail[] = [undefined, null, 'auto', 'low', 'high', 'original']

test.each(models)('%s: tokens <= bound of the size <= bound of any size', (model) => {
  for (const detail of details) {
    const { upperBound: most } = countImageTokens(model, { detail })
    for (const width of [1, 31, 384, 385, 512, 769, 1024, 1541, 2049, 5000, 2 ** 31]) {
      for (const height of [1, 336, 1024, 3000, 2 ** 31]) {
        const counted = countImageTokens(model, { size: { width, height }, detail })
        expect(counted.tokens).toBeGreaterThan(0)
        expect(counted.tokens).toBeLessThanOrEqual(counted.upperBound)
        expect(counted.upperBound).toBeLessThanOrEqual(most)
      }
    }
  }
})

test('the bound of an image covers the same image turned', () => {
  for (const model of models) {
    const [wide, high] = [
      { width: 4000, height: 3000 },
      { width: 3000, height: 4000 },
    ].map((size) => countImageTokens(model, { size }))
    expect(wide?.upperBound, model).toBe(high?.upperBound)
  }
})

test('an image of known size has a lower bound than one of unknown size', () => {
  const size = { width: 64, height: 64 }
  for (const model of ['gpt-4o', 'claude-opus-5', 'gemini-2.5-pro', 'gpt-6.1-sol', 'qwen3-vl-8b']) {
    const known = countImageTokens(model, { size }).upperBound
    expect(known * 5).toBeLessThan(countImageTokens(model, {}).upperBound)
  }
})

test('a chat has the tokens of its images', () => {
  const counter = store.counterOf('openai-o200k')
  const image = { type: 'image_url', image_url: { url: pngUrl(square), detail: 'high' } } as const
  const text = { type: 'text', text: 'What is this?' }
  const chat = (content: readonly (typeof image | typeof text)[]) =>
    countChatTokens([{ role: 'user', content }], counter, { model: 'openai/gpt-4o' })
  const [without, two] = [chat([text]), chat([text, image, image])]
  expect(two.tokens - without.tokens).toBe(2 * 765)
  expect(two.upperBound - without.upperBound).toBe(2 * 765)
  expect(two.method).toBe('estimate')
})

/** Pictures whose address tells their size, or that are well known. */
const publicSizes: readonly (readonly [address: string, width: number, height: number])[] = [
  ['https://www.gstatic.com/webp/gallery3/1.png', 400, 301],
  ['https://httpbin.org/image/jpeg', 239, 178],
  ['https://fastly.picsum.photos/id/237/200/300', 200, 300],
  ['https://t3.ftcdn.net/jpg/00/85/79/92/360_F_85799278', 540, 360],
]

describe.skipIf(!hasBills)('recorded images', () => {
  const requests = hasBills
    ? gunzipSync(readFileSync(billsFile))
        .toString('utf8')
        .split('\n')
        .filter(Boolean)
        .map((line): RecordedRequest => JSON.parse(line))
        .filter(({ media = 0 }) => media > 0)
    : []
  const count = (request: RecordedRequest) =>
    countChatTokens(request.ms, store.counterOf(counterForModel(request.m)), {
      tools: request.tools,
      responseFormat: request.rf,
      model: request.m,
    })

  test('no bill is above its bound, sizes unknown', () => {
    expect(requests.length).toBeGreaterThan(40)
    const over = requests.filter((request) => count(request).upperBound < request.in)
    expect(over.map(({ m }) => m)).toEqual([])
  })

  test('of known size: no bill is above its bound, and the median error is within 20 %', () => {
    const errors = requests.flatMap((request) => {
      const known = withSizes(request)
      if (known === undefined) return []
      const { tokens, upperBound } = count(known)
      expect(upperBound).toBeGreaterThanOrEqual(request.in)
      return [Math.abs(tokens / request.in - 1)]
    })
    expect(errors.length).toBe(10)
    expect(errors.toSorted((a, b) => a - b)[errors.length >> 1]).toBeLessThan(0.2)
  })
})

/** The request with headers in place of addresses, or `undefined` if a size is not known. */
function withSizes(request: RecordedRequest): RecordedRequest | undefined {
  let text = JSON.stringify(request)
  for (const [address, width, height] of publicSizes) {
    const start = `"url":"${address}`
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start)) {
      const end = text.indexOf('"', at + start.length)
      text = `${text.slice(0, at)}"url":"${pngUrl({ width, height })}${text.slice(end)}`
    }
  }
  return /"url":"(https:|data:image\/png;base64,AAAA)/.test(text) ? undefined : JSON.parse(text)
}
