import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { announceSkip } from '../../../../scripts/testing/announce-skip.ts'
import { type BillAccuracy, billAccuracies } from '../support/bill-accuracy.ts'
import { type Bill, billsFile, hasBills, hasHiddenState, readBills } from '../support/bills.ts'

if (!hasBills) announceSkip('recorded bills', `put usage.jsonl.gz at ${billsFile.pathname}`)

/** A row of the page's table: percents and ratios as they stand there. */
type Claim = Omit<BillAccuracy, 'kind'> & { readonly kind: string }

const claims: readonly Claim[] = readFileSync(
  new URL('../../MEASUREMENTS.md', import.meta.url),
  'utf8',
)
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => ['plain', 'tools', 'format'].includes(cells[2] ?? ''))
  .map(claimOf)

function claimOf(cells: readonly string[]): Claim {
  const [, family = '', kind = '', ...figures] = cells
  const numbers = figures.map(
    (text) => Number(text.replace('−', '-').replace('%', '').replace(',', '')) || 0,
  )
  const [bills, judged, median, p95, boundMedian, boundP95, ...rest] = numbers
  const [judgedBoundMedian, judgedBoundP95, undercharges] = rest
  return {
    family: family.replaceAll('`', ''),
    kind,
    bills: bills ?? 0,
    judged: judged ?? 0,
    median: (median ?? 0) / 100,
    p95: (p95 ?? 0) / 100,
    boundMedian: boundMedian ?? 0,
    boundP95: boundP95 ?? 0,
    judgedBoundMedian: judgedBoundMedian ?? 0,
    judgedBoundP95: judgedBoundP95 ?? 0,
    undercharges: undercharges ?? 0,
  }
}

/** Half a unit of the last place that the page gives. */
const rounding = { percent: 0.0051, ratio: 0.051, judged: 0.0051 }

/** Bills of the wires that Farebox calls, and without hidden state. */
function isCovered(bill: Bill): boolean {
  return !bill.family.endsWith('(Responses)') && !hasHiddenState(bill)
}

test('the page of measurements has a table of bills', () => {
  expect(claims.length).toBeGreaterThan(20)
})

describe.skipIf(!hasBills)('recorded bills', () => {
  let bills: readonly Bill[] = []
  let measured: readonly BillAccuracy[] = []

  beforeAll(() => {
    bills = readBills()
    measured = billAccuracies(bills)
  })

  test('no bill is above its upper bound', () => {
    const over = bills
      .filter(isCovered)
      .filter(({ count, request }) => count.upperBound < request.in)
    expect(over.map(({ family, request }) => `${family} ${request.m} ${request.in}`)).toEqual([])
    expect(bills.filter(isCovered).length).toBeGreaterThan(800)
  })

  test('an exact count of a chat is what was billed', () => {
    const exact = bills.filter((bill) => isCovered(bill) && bill.count.method === 'exact')
    for (const { count, request } of exact) expect(count.tokens).toBe(request.in)
    expect(exact.length).toBeGreaterThan(60)
  })

  test.each(claims)('$family, $kind: within what the page gives', (claim) => {
    const row = measured.find(({ family, kind }) => family === claim.family && kind === claim.kind)
    expect(row).toBeDefined()
    if (row === undefined) return
    expect(row.bills).toBe(claim.bills)
    expect(row.judged).toBe(claim.judged)
    expect(Math.abs(row.median)).toBeLessThanOrEqual(Math.abs(claim.median) + rounding.percent)
    expect(row.p95).toBeLessThanOrEqual(claim.p95 + rounding.percent)
    expect(row.boundMedian).toBeLessThanOrEqual(claim.boundMedian + rounding.ratio)
    expect(row.boundP95).toBeLessThanOrEqual(claim.boundP95 + rounding.ratio)
    expect(row.judgedBoundMedian).toBeLessThanOrEqual(claim.judgedBoundMedian + rounding.judged)
    expect(row.judgedBoundP95).toBeLessThanOrEqual(claim.judgedBoundP95 + rounding.judged)
    expect(row.undercharges).toBe(claim.undercharges)
  })

  test('for 19 of 20 requests with a format, the bound is at most twice the bill', () => {
    const formats = measured.filter(
      ({ family, kind, bills }) =>
        kind === 'format' && bills >= 6 && !family.endsWith('(Responses)'),
    )
    expect(formats.map(({ family }) => family)).toEqual([
      'claude',
      'gemini',
      'gemini-2.0',
      'openai-o200k',
    ])
    for (const { boundP95, judgedBoundP95 } of formats) {
      expect(Math.max(boundP95, judgedBoundP95)).toBeLessThanOrEqual(2)
    }
  })

  test('the median error is within 20 % for plain chats, 35 % with tools or a format', () => {
    const far = measured
      .filter(({ family, judged }) => judged >= 6 && !family.endsWith('(Responses)'))
      .filter(({ kind, median }) => Math.abs(median) > (kind === 'plain' ? 0.2 : 0.35))
    expect(far).toEqual([])
  })
})
