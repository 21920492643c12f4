/**
 * Fits the framing of tools, tool calls and formats to recorded bills: for each family with enough
 * even lines, the fitted figures next to those of `src/counter/family-framings.ts`, and the median
 * errors of both on the odd lines.
 *
 * `node --conditions=farebox-source scripts/fit-framing.ts`
 */
import { countChatTokens } from '../src/chat/count-chat-tokens.ts'
import { renderFormat } from '../src/chat/render-format.ts'
import { renderTools } from '../src/chat/render-tools.ts'
import type { Counter } from '../src/counter/counter.ts'
import type { Framing } from '../src/counter/framing.ts'
import { createCounterStore } from '../src/pool/counter-store.ts'
import { type Bill, hasHiddenState, isDropped, readBills } from '../test/support/bills.ts'
import { fitNonNegative, type Observation } from './support/fit-non-negative.ts'

/** Fewer even lines than this are not fitted. */
const fewest = 6

const store = createCounterStore({ vocabularies: {}, factors: {} })
const bills = readBills().filter((bill) => !isDropped(bill) && !hasHiddenState(bill))
for (const family of [...new Set(bills.map((bill) => bill.family))].sort()) {
  const own = bills.filter((bill) => bill.family === family)
  report(
    family,
    'tools',
    own.filter(({ kind }) => kind === 'tools'),
  )
  report(
    family,
    'format',
    own.filter(({ kind, request }) => kind === 'format' && !request.tools),
  )
}

function report(family: string, kind: 'tools' | 'format', all: readonly Bill[]): void {
  const rows = all.map((bill) => ({ bill, ...observe(bill) }))
  const fitted = fitNonNegative(rows.filter(({ bill }) => !bill.judged))
  const judged = rows.filter(({ bill }) => bill.judged)
  if (rows.length - judged.length < fewest) return
  const errors = judged.map(
    ({ bill, features, base }) =>
      (base + features.reduce((sum, value, index) => sum + value * (fitted[index] ?? 0), 0)) /
        bill.request.in -
      1,
  )
  const shipped = judged.map(({ bill }) => bill.count.tokens / bill.request.in - 1)
  const { framing } = store.counterOf(all[0]?.counter ?? 'generic')
  const names = kind === 'tools' ? toolFigures(framing) : formatFigures(framing)
  const figures = Object.entries(names).map(
    ([name, value], index) => `${name} ${(fitted[index] ?? 0).toFixed(2)} (${value})`,
  )
  process.stdout.write(
    `${family}, ${kind}: ${figures.join(', ')}; judged ${judged.length}: ` +
      `${percent(median(errors))} (${percent(median(shipped))})\n`,
  )
}

function toolFigures({ tools, calls }: Framing): Readonly<Record<string, number>> {
  return { ...tools.likely, call: calls.likely.call, result: calls.likely.result, id: calls.id }
}

function formatFigures({ format }: Framing): Readonly<Record<string, number>> {
  return { request: format.likely.request, text: format.likely.text }
}

/** What a bill holds beyond the texts of its messages and calls, and what it may stem from. */
function observe({ counter, kind, request }: Bill): Observation & { readonly base: number } {
  const own = store.counterOf(counter)
  const count = (text: string): number => own.countText(text).tokens
  const { ms, tools = [], rf } = request
  const base = countChatTokens(ms, withoutExtras(own)).tokens
  const target = request.in - base
  const weight = 1 / request.in
  if (kind === 'format') {
    const { text = '' } = renderFormat(rf, own.framing.format.writtenAs) ?? {}
    return { features: [1, count(text)], target, weight, base }
  }
  const { text, properties } = renderTools(tools, own.framing.tools.writtenAs)
  const calls = ms.flatMap(({ tool_calls: made }) => made ?? [])
  const results = ms.filter(({ role }) => role === 'tool')
  const ids = [...calls.map(({ id }) => id), ...results.map(({ tool_call_id: id }) => id)]
  const idTokens = ids.reduce((sum, id) => sum + count(id ?? ''), 0)
  const isUsed = tools.length > 0 ? 1 : 0
  const written = isUsed * count(text)
  return {
    features: [isUsed, tools.length, properties, written, calls.length, results.length, idTokens],
    target,
    weight,
    base,
  }
}

function withoutExtras(counter: Counter): Counter {
  const calls = {
    ...counter.framing.calls,
    id: 0,
    likely: { call: 0, result: 0, text: 1 },
  }
  return { ...counter, framing: { ...counter.framing, calls } }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? 0
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
