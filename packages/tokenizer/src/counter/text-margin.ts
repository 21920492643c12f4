import { type ByClass, byClass, type TextProfile, textClasses } from './text-profile.ts'

/** How many tokens a text may have in a vocabulary that is not available. */
export type TextMargin = {
  /** The estimate times this. */
  readonly times: number
  /** No less than these tokens a byte, by class of text: a caller may pick text that only the base vocabulary shortens. */
  readonly perByte: ByClass
  /** Tokens more, since short texts vary. */
  readonly fixed: number
}

const gemmaPerByte: Partial<ByClass> = {
  latin: 0.25,
  accented: 0.5,
  symbol: 0.5,
  cjk: 0.5,
  cyrillic: 0.5,
}

/** Gemma 3 has a token for each digit, and tokens for the characters of all scripts. */
export const gemmaMargin: TextMargin = {
  times: 1.35,
  perByte: byClass((name) => gemmaPerByte[name] ?? 1),
  fixed: 1,
}

const claudePerByte: Partial<ByClass> = { latin: 0.25, digit: 0.5, symbol: 0.5 }

/** Claude's vocabulary has few tokens for other scripts than Latin: each byte may be one. */
export const claudeMargin: TextMargin = {
  times: 1.5,
  perByte: byClass((name) => claudePerByte[name] ?? 1),
  fixed: 2,
}

/** The most tokens of a text that is estimated to have `estimate`. */
export function marginOf(margin: TextMargin, estimate: number, profile: TextProfile): number {
  const { perByte } = margin
  let floor = 0
  for (const name of textClasses) floor += perByte[name] * profile[name]
  return Math.ceil(Math.max(estimate * margin.times, floor) + margin.fixed)
}
