import { expect, test } from 'vitest'
import { calibrationRecord } from '../../src/calibrate/calibration-record.ts'
import { fitFactors } from '../../src/calibrate/fit-factors.ts'
import { counterSpecs } from '../../src/counter-specs.ts'
import { tokenizer } from '../../src/o200k-base.ts'
import { textClasses } from '../../src/text-profile.ts'
import { corpora } from '../support/corpora.ts'
import { seeded } from '../support/seeded.ts'

const shipped = { latin: 1.2, digit: 1.2, symbol: 1.2, cjk: 1.2, other: 1.2 }

test('factors that made the usage are found again', () => {
  const truth = { latin: 1.4, digit: 2.2, symbol: 1.1, cjk: 0.8, other: 1.6 }
  const { below, pick } = seeded(3)
  const texts = [...corpora(64_000).values()]
  const records = Array.from({ length: 400 }, () => {
    const text = pick(texts)
    const start = below(text.length - 3000)
    const content = text.slice(start, start + 500 + below(2500))
    const usage = { messages: [{ role: 'user', content }], inputTokens: 1 }
    const record = calibrationRecord(usage, 'claude', tokenizer)
    const counted = textClasses.reduce((sum, name) => sum + record.share[name] * truth[name], 0)
    return { ...record, billed: Math.round(counted + record.fixed) }
  })
  const { factors, error, covering } = fitFactors(records, shipped)
  for (const name of textClasses) expect(factors[name]).toBeCloseTo(truth[name], 0)
  expect(error.after).toBeLessThan(0.02)
  expect(error.before).toBeGreaterThan(error.after)
  expect(covering).toBeLessThan(1.05)
})

test('a class without records keeps what is shipped', () => {
  const share = { latin: 100, digit: 0, symbol: 0, cjk: 0, other: 0 }
  const { factors } = fitFactors([{ share, fixed: 10, billed: 160 }], shipped)
  expect(factors.latin).toBeGreaterThan(1.3)
  expect(factors.cjk).toBeCloseTo(1.2)
})

test('no records leave the factors', () => {
  const { factors, error, covering } = fitFactors([], counterSpecs.claude.factors ?? shipped)
  for (const name of textClasses) {
    expect(factors[name]).toBeCloseTo((counterSpecs.claude.factors ?? shipped)[name])
  }
  expect([error.before, error.after, covering]).toEqual([0, 0, 1])
})
