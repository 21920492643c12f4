import { isObject } from '../convert/is-object.ts'
import { addedNames } from '../counter/added-tokens.ts'
import { type CounterName, counterNames } from '../counter/counter-name.ts'
import { estimatingCounters } from '../counter/counter-specs.ts'
import type { EstimateFactors } from '../counter/estimate-factors.ts'
import { textClasses } from '../counter/text-profile.ts'
import type { FactorsByCounter } from './count-job.ts'

/** Factors by counter, or all problems with their paths. */
export type ParsedFactors =
  | { readonly status: 'valid'; readonly factors: FactorsByCounter }
  | { readonly status: 'invalid'; readonly problems: readonly FactorProblem[] }

/** A mistake in factors: its path, such as `claude.latin`, and what is wrong. */
export type FactorProblem = { readonly path: string; readonly message: string }

/** Classes that require a factor; it is optional for the others. */
const needed: ReadonlySet<string> = new Set(['latin', 'digit', 'symbol', 'cjk', 'other'])
const known: ReadonlySet<string> = new Set(textClasses)

/** Far above any fitted factor: a larger one is a typo. */
const largest = 100
const maxTokens = 10_000

/**
 * Reads the user's factors: by counter, an object of the `factors` that `farebox-tokenizer calibrate`
 * prints.
 */
export function parseFactors(json: unknown): ParsedFactors {
  const problems: FactorProblem[] = []
  const factors: Partial<Record<CounterName, EstimateFactors>> = {}
  if (!isObject(json)) {
    return {
      status: 'invalid',
      problems: [{ path: '', message: 'must be an object: { "claude": { "latin": 1.3, … } }' }],
    }
  }
  for (const [name, value] of Object.entries(json)) {
    const counter = estimatingCounters.find((candidate) => candidate === name)
    const wrong = counter === undefined ? [unfitted(name)] : problemsOf(value, name)
    problems.push(...wrong)
    if (counter !== undefined && wrong.length === 0 && isFactors(value)) factors[counter] = value
  }
  return problems.length === 0 ? { status: 'valid', factors } : { status: 'invalid', problems }
}

function unfitted(name: string): FactorProblem {
  const isExact = counterNames.some((counter) => counter === name)
  const message = isExact
    ? "counts with the model's own vocabulary and takes no factors"
    : `is not a counter that takes factors. Valid counters: ${estimatingCounters.join(', ')}`
  return { path: name, message }
}

function problemsOf(value: unknown, path: string): readonly FactorProblem[] {
  if (!isObject(value)) return [{ path, message: 'must be an object of factors by class of text' }]
  const unknown = Object.keys(value).filter((name) => name !== 'framing' && !known.has(name))
  const checked = textClasses.filter((name) => needed.has(name) || Object.hasOwn(value, name))
  return [
    ...unknown.map((name) => ({
      path: `${path}.${name}`,
      message: `is not a class of text. Valid classes: ${textClasses.join(', ')}`,
    })),
    ...checked
      .filter((name) => !isFactor(value[name]))
      .map((name) => ({
        path: `${path}.${name}`,
        message: `must be a number above 0 and up to ${largest}`,
      })),
    ...framingProblems(value['framing'] ?? {}, `${path}.framing`),
  ]
}

function framingProblems(framing: unknown, path: string): readonly FactorProblem[] {
  if (!isObject(framing))
    return [{ path, message: `must be an object of ${addedNames.join(', ')}` }]
  return Object.entries(framing)
    .filter(([name, tokens]) => !addedNames.some((known) => known === name) || !isTokens(tokens))
    .map(([name]) => ({
      path: `${path}.${name}`,
      message: `must be one of ${addedNames.join(', ')}, with a number from -${maxTokens} to ${maxTokens}`,
    }))
}

function isTokens(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= maxTokens
}

function isFactors(value: unknown): value is EstimateFactors {
  return problemsOf(value, '').length === 0
}

function isFactor(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= largest
}
