import { expect, test } from 'vitest'
import { calibrationRecord } from '../../src/calibrate/calibration-record.ts'
import { type CalibrationRecord, fitFactors } from '../../src/calibrate/fit-factors.ts'
import { countChatTokens } from '../../src/chat/count-chat-tokens.ts'
import { addedNames } from '../../src/counter/added-tokens.ts'
import { createCounter } from '../../src/counter/counter.ts'
import { counterSpecs } from '../../src/counter/counter-specs.ts'
import { factorOf } from '../../src/counter/estimate-factors.ts'
import { byClass, textClasses } from '../../src/counter/text-profile.ts'
import type { TokenCount } from '../../src/counter/token-count.ts'
import { tokenizer } from '../../src/o200k-base.ts'
import { corpora } from '../support/corpora.ts'
import { seeded } from '../support/seeded.ts'

const shipped = { latin: 1.2, digit: 1.2, symbol: 1.2, cjk: 1.2, other: 1.2 }

test('recovers the factors that produced the usage', () => {
  const truth = {
    ...byClass(() => 1.2),
    ...{ latin: 1.4, digit: 2.2, symbol: 1.1, cjk: 0.8, syllabic: 0.9, other: 1.6 },
  }
  const { below, pick } = seeded(3)
  const texts = [...corpora(64_000).values()]
  const records = Array.from({ length: 400 }, () => {
    const text = pick(texts)
    const start = below(text.length - 3000)
    const content = text.slice(start, start + 500 + below(2500))
    const usage = { messages: [{ role: 'user', content }], inputTokens: 1 }
    const record = calibrationRecord(usage, 'claude', tokenizer)
    const counted = textClasses.reduce(
      (sum, name) => sum + (record.share[name] ?? 0) * truth[name],
      0,
    )
    return { ...record, billed: Math.round(counted + record.fixed) }
  })
  const { factors, error, covering } = fitFactors(records, shipped)
  for (const name of textClasses) expect(factors[name]).toBeCloseTo(truth[name], 0)
  expect(error.after).toBeLessThan(0.02)
  expect(error.before).toBeGreaterThan(error.after)
  expect(covering).toBeLessThan(1.05)
})

test('a class without records keeps its shipped factor', () => {
  const share = { ...byClass(() => 0), latin: 100 }
  const { factors } = fitFactors([{ share, fixed: 10, billed: 160 }], shipped)
  expect(factors.latin).toBeGreaterThan(1.3)
  expect(factors.cjk).toBeCloseTo(1.2)
})

test('every second record is judged by a fit to the others', () => {
  const share = { ...byClass(() => 0), latin: 100 }
  const record = (billed: number): CalibrationRecord => ({ share, fixed: 0, billed })
  const alike = Array.from({ length: 100 }, () => record(140))
  const { judged, error } = fitFactors(alike, shipped)
  expect(judged.records).toBe(50)
  expect(judged.before).toBeCloseTo(error.before)
  expect(judged.after).toBeLessThan(0.01)
  const unlike = alike.map((_, index) => record(index % 2 === 0 ? 140 : 280))
  expect(fitFactors(unlike, shipped).judged.after).toBeGreaterThan(0.45)
})

test('without records the factors do not change', () => {
  const { factors, error, covering } = fitFactors([], counterSpecs.claude.factors ?? shipped)
  for (const name of textClasses) {
    expect(factors[name]).toBeCloseTo(factorOf(counterSpecs.claude.factors ?? shipped, name))
  }
  expect([error.before, error.after, covering]).toEqual([0, 0, 1])
})

test('a record of five classes fits these, and their parts keep the shipped factors', () => {
  const share = { latin: 100, digit: 10, symbol: 20, cjk: 0, other: 50 }
  const billed = 100 * 1.3 + 10 * 1.2 + 20 * 1.2 + 50 * 1.6 + 10
  const records = new Array<Parameters<typeof fitFactors>[0][number]>(200).fill({
    ...{ share, fixed: 10, billed },
  })
  const { factors, error } = fitFactors(records, { ...shipped, brahmic: 3 })
  expect(error.after).toBeLessThan(0.01)
  expect(factors.other).toBeGreaterThan(1.2)
  expect(factors.accented).toBeCloseTo(1.2)
  expect(factors.brahmic).toBeCloseTo(3)
})

test('recovers tokens that are added per request, message, tool and format', () => {
  const truth = { request: 30, message: 6, toolRequest: 200, tool: 25, format: 40 }
  const { below } = seeded(5)
  const records = Array.from({ length: 300 }, () => {
    const tool = Math.max(0, below(8) - 3)
    const counts = {
      ...{ request: 1, message: 1 + below(9), toolRequest: tool > 0 ? 1 : 0, tool },
      format: below(2),
    }
    const share = { ...byClass(() => 0), latin: 50 + below(800) }
    const added = addedNames.reduce((sum, name) => sum + counts[name] * truth[name], 0)
    return { share, fixed: 10, counts, billed: share.latin * 1.3 + added + 10 }
  })
  const { factors, error } = fitFactors(records, shipped)
  expect(error.after).toBeLessThan(0.02)
  expect(factors.latin).toBeCloseTo(1.3, 1)
  for (const name of addedNames) {
    const found = factors.framing?.[name] ?? 0
    expect(Math.abs(found / truth[name] - 1), name).toBeLessThan(0.2)
  }
})

test('added tokens change the count, and no bound becomes lower', () => {
  const messages = [{ role: 'user', content: 'hello' }]
  const tools = [{ type: 'function', function: { name: 'now', parameters: {} } }]
  const extras = { tools, responseFormat: { type: 'json_object' } }
  const countWith = (tokens: number): TokenCount => {
    const framing = Object.fromEntries(addedNames.map((name) => [name, tokens]))
    const counter = createCounter('claude', tokenizer, { ...shipped, framing })
    return countChatTokens(messages, counter, extras)
  }
  const [fewer, plain, more] = [countWith(-2), countWith(0), countWith(2)]
  expect([fewer.tokens - plain.tokens, more.tokens - plain.tokens]).toEqual([-10, 10])
  expect([fewer.upperBound, more.upperBound]).toEqual([plain.upperBound, plain.upperBound + 10])
})
