import { isObject } from '../convert/is-object.ts'
import type { AddedTokens } from './added-tokens.ts'
import { type TextClass, type TextProfile, textClasses } from './text-profile.ts'

/**
 * Tokens of a model relative to the base vocabulary, by class of text. A class without a factor
 * takes the factor of its parent class. `framing`: tokens to add besides those of texts.
 */
export type EstimateFactors = Readonly<
  Record<WholeClass, number> & Partial<Record<Exclude<TextClass, WholeClass>, number>>
> & { readonly framing?: AddedTokens }

type WholeClass = 'latin' | 'digit' | 'symbol' | 'cjk' | 'other'

const wholeOf: Readonly<Record<TextClass, WholeClass>> = {
  latin: 'latin',
  accented: 'latin',
  digit: 'digit',
  symbol: 'symbol',
  cjk: 'cjk',
  syllabic: 'cjk',
  cyrillic: 'other',
  semitic: 'other',
  brahmic: 'other',
  other: 'other',
}

/** Returns the factor of one class. */
export function factorOf(factors: EstimateFactors, name: TextClass): number {
  return factors[name] ?? factors[wholeOf[name]]
}

/** The mean factor of a text, weighted by the UTF-8 bytes of each class. */
export function meanFactor(factors: EstimateFactors, profile: TextProfile): number {
  if (profile.bytes === 0) return 1
  let sum = 0
  for (const name of textClasses) sum += factorOf(factors, name) * profile[name]
  return sum / profile.bytes
}

/** A factor that is not a number would make each count NaN. */
export function requireFactors(name: string, factors: EstimateFactors | undefined): void {
  if (factors === undefined) return
  if (!isObject(factors)) throw new TypeError(`${name} must be an object of factors`)
  for (const kind of textClasses) {
    const factor = factorOf(factors, kind)
    if (Number.isFinite(factor) && factor > 0) continue
    throw new TypeError(`${name}.${kind} must be a number above 0`)
  }
  for (const [kind, tokens] of Object.entries(factors.framing ?? {})) {
    if (!Number.isFinite(tokens)) throw new TypeError(`${name}.framing.${kind} must be a number`)
  }
}
