import type { TextClass, TextProfile } from './text-profile.ts'
import { textClasses } from './text-profile.ts'

/** Tokens of a model relative to the vocabulary counted with, by class of text. */
export type EstimateFactors = Readonly<Record<TextClass, number>>

/** The mean factor of a text: that of each class weighted by its UTF-8 bytes. */
export function meanFactor(factors: EstimateFactors, profile: TextProfile): number {
  if (profile.bytes === 0) return 1
  let sum = 0
  for (const name of textClasses) sum += factors[name] * profile[name]
  return sum / profile.bytes
}
