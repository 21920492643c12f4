/**
 * Compares the estimating counters with the vocabularies of their models or, if those are not
 * available, with published counts. Prints the table of MEASUREMENTS.md, the errors by kind of text, and the
 * factors that a calibration on these texts would fit.
 *
 * Usage: `node scripts/measure-estimates.ts [texts of each kind]` (40 by default)
 */
import { calibrationRecord } from '../src/calibrate/calibration-record.ts'
import { type Calibration, fitFactors } from '../src/calibrate/fit-factors.ts'
import { type Counter, createCounter } from '../src/counter/counter.ts'
import type { CounterName } from '../src/counter/counter-name.ts'
import { counterSpecs } from '../src/counter/counter-specs.ts'
import { factorOf, meanFactor } from '../src/counter/estimate-factors.ts'
import { profileText, textClasses } from '../src/counter/text-profile.ts'
import type { EncodingName } from '../src/engine/encoding-name.ts'
import { tokenizerOf } from '../src/vocabulary/create-tokenizer.ts'
import type { ShippedEncoding } from '../src/vocabulary/shipped-vocabulary.ts'
import type { Tokenizer } from '../src/vocabulary/tokenizer.ts'
import { createVocabularyStore } from '../src/vocabulary/vocabulary-store.ts'
import { fuzzString } from '../test/support/fuzz.ts'
import { lengthenedString } from '../test/support/lengthened.ts'
import { publishedCounts } from '../test/support/published-counts.ts'
import { seeded } from '../test/support/seeded.ts'
import { everydayKinds, type MeasuredText, measuredTexts } from './support/measured-texts.ts'
import {
  openReference,
  type Reference,
  type ReferenceName,
  referenceNames,
} from './support/reference-vocabularies.ts'

const [perKind = 40] = process.argv.slice(2).map(Number)
const texts = measuredTexts(perKind)
const random = seeded(2026)
const fuzz = Array.from({ length: perKind * 100 }, () => [
  fuzzString(random),
  lengthenedString(random),
]).flat()

/** A third-party implementation, or a shipped vocabulary, which counts like the vendor's. */
type Measure = ReferenceName | ShippedEncoding

/** A counter, and the vocabularies it is compared with; each of them counts each text. */
type Measurement = {
  readonly counter: CounterName
  readonly title: string
  readonly by: readonly Measure[]
}

const measurements: readonly Measurement[] = [
  { counter: 'llama3', title: 'Llama 3.1', by: ['Llama 3.1'] },
  { counter: 'gemini', title: 'Gemma 3', by: ['Gemma 3'] },
  { counter: 'claude', title: 'Claude 2', by: ['Claude 2'] },
  { counter: 'cohere', title: 'Command R+', by: ['Command R+'] },
  { counter: 'mistral-spm', title: 'Mistral v3', by: ['Mistral v3'] },
  { counter: 'grok', title: 'stand-ins: Qwen 3, Tekken', by: ['qwen', 'tekken'] },
  {
    counter: 'generic',
    title: 'all ten vocabularies',
    by: [
      'o200k_base',
      'cl100k_base',
      'qwen',
      'deepseek',
      'tekken',
      'Llama 3.1',
      'Gemma 3',
      'Claude 2',
      'Command R+',
      'Mistral v3',
    ],
  },
]

const vocabularies = createVocabularyStore({})
const loaded = new Map<EncodingName, Tokenizer>()
const references = new Map<Measure, Reference>()
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`
const signed = (error: number): string => `${error < 0 ? '−' : '+'}${percent(Math.abs(error))}`

const summaries: string[] = []
for (const measurement of measurements) await report(measurement)
print('| counter | measured with | everyday | undercounted | all | 95 % within | worst kind |')
print('|---|---|---|---|---|---|---|')
for (const summary of summaries) print(summary)
print('\nTotals over published counts, and the texts that are estimated too low:')
for (const [counter, names] of [
  ['llama4', ['Llama 4']],
  ['kimi', ['Kimi K3']],
  ['glm', ['GLM-4.5']],
  ['glm-5', ['GLM-5']],
  ['minimax', ['MiniMax M2']],
] as const) {
  for (const name of names) reportPublished(counter, name)
}

/** The vocabulary to count with if the model's own is not available. */
function tokenizerFor(counter: CounterName): Tokenizer {
  return load(counterSpecs[counter].encoding)
}

function load(encoding: EncodingName): Tokenizer {
  const known = loaded.get(encoding)
  if (known !== undefined) return known
  const tokenizer = tokenizerOf(vocabularies.load(encoding))
  loaded.set(encoding, tokenizer)
  return tokenizer
}

function referenceFor(name: Measure): Reference {
  const known = references.get(name)
  if (known !== undefined) return known
  const reference = openAny(name)
  references.set(name, reference)
  return reference
}

function openAny(name: Measure): Reference {
  if (isReference(name)) return openReference(name)
  const { countTokens } = load(name)
  return async (text) => Promise.resolve(countTokens(text))
}

function isReference(name: Measure): name is ReferenceName {
  return referenceNames.some((known) => known === name)
}

type Outcome = MeasuredText & { readonly tokens: number; readonly error: number }

async function report({ counter: name, title, by }: Measurement): Promise<void> {
  const tokenizer = tokenizerFor(name)
  const counter = createCounter(name, tokenizer)
  const outcomes: Outcome[] = []
  const beyond: number[] = []
  for (const measure of by) {
    const reference = referenceFor(measure)
    for (const measured of texts) outcomes.push(await compare(counter, reference, measured))
    for (const text of fuzz) {
      const more = (await reference(text)) - counter.countText(text).upperBound
      if (more > 0) beyond.push(more)
    }
  }
  const kinds = [...new Set(texts.map(({ kind }) => kind))].map((kind) => ({
    kind,
    errors: outcomes.filter((outcome) => outcome.kind === kind).map(({ error }) => error),
  }))
  print(`\n${name}, on ${tokenizer.encoding}, measured with ${title}:`)
  for (const { kind, errors } of kinds) print(kindLine(kind, errors))
  const most = beyond.reduce((a, b) => Math.max(a, b), 0)
  const strings = fuzz.length * by.length
  print(`  beyond the upper bound: ${beyond.length} of ${strings} fuzz strings, by up to ${most}`)
  print(`  fitted: ${factorsLine(calibrate(name, tokenizer, outcomes))}`)
  const everyday = outcomes.filter(({ kind }) => everydayKinds.includes(kind))
  const under = everyday.filter(({ error }) => error < 0).length / everyday.length
  const [worst] = kinds
    .map(({ kind, errors: all }) => ({ kind, median: quantile(all, 0.5) }))
    .toSorted((a, b) => Math.abs(b.median) - Math.abs(a.median))
  const worstKind = worst === undefined ? '' : `${worst.kind} ${signed(worst.median)}`
  const cells = [
    `\`${name}\``,
    title,
    percent(medianSize(everyday)),
    percent(under),
    percent(medianSize(outcomes)),
    percent(sizeQuantile(outcomes, 0.95)),
    worstKind,
  ]
  summaries.push(`| ${cells.join(' | ')} |`)
}

function medianSize(outcomes: readonly Outcome[]): number {
  return sizeQuantile(outcomes, 0.5)
}

function sizeQuantile(outcomes: readonly Outcome[], share: number): number {
  return quantile(
    outcomes.map(({ error }) => Math.abs(error)),
    share,
  )
}

async function compare(
  counter: Counter,
  reference: Reference,
  measured: MeasuredText,
): Promise<Outcome> {
  const tokens = await reference(measured.text)
  return { ...measured, tokens, error: counter.countText(measured.text).tokens / tokens - 1 }
}

function kindLine(kind: string, errors: readonly number[]): string {
  const under = errors.filter((error) => error < 0).length / errors.length
  const median = signed(quantile(errors, 0.5)).padStart(8)
  const tail = percent(quantile(errors.map(Math.abs), 0.95)).padStart(7)
  return `  ${kind.padEnd(15)}median ${median}, 95 % within ${tail}, undercounted ${percent(under)}`
}

/** The factors that a calibration would fit; everyday kinds weigh as much as all others together. */
function calibrate(
  name: CounterName,
  tokenizer: Tokenizer,
  outcomes: readonly Outcome[],
): Calibration | null {
  const { factors } = counterSpecs[name]
  if (factors === null) return null
  const records = outcomes.flatMap(({ kind, text, tokens }) => {
    const usage = { messages: [{ role: 'user', content: text }], inputTokens: tokens }
    const { share, billed } = calibrationRecord(usage, name, tokenizer)
    return new Array<Parameters<typeof fitFactors>[0][number]>(
      everydayKinds.includes(kind) ? 4 : 1,
    ).fill({ share, fixed: 0, billed })
  })
  return fitFactors(records, factors)
}

function factorsLine(calibration: Calibration | null): string {
  if (calibration === null) return 'exact'
  const { factors, covering } = calibration
  const list = textClasses.map((name) => `${name} ${factorOf(factors, name).toFixed(2)}`)
  return `${list.join(', ')}; × ${covering.toFixed(2)} covers 19 of 20`
}

function reportPublished(name: CounterName, published: keyof typeof publishedCounts): void {
  const tokenizer = tokenizerFor(name)
  const { counts } = publishedCounts[published]
  const { factors } = counterSpecs[name]
  if (factors === null) return
  const estimates = counts.map(([text, billed]) => {
    const estimate = tokenizer.countTokens(text) * meanFactor(factors, profileText(text))
    return { text, billed, estimate }
  })
  const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0)
  const total = sum(estimates.map(({ estimate }) => estimate)) / sum(counts.map(([, n]) => n)) - 1
  const low = estimates.filter(({ billed, estimate }) => estimate < billed - 0.5)
  print(`  ${name}, ${published}: ${counts.length} texts, ${signed(total)}; low: ${low.length}`)
  for (const { text, billed, estimate } of low) {
    print(`    ${JSON.stringify(text.slice(0, 40))}: ${estimate.toFixed(1)} instead of ${billed}`)
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
