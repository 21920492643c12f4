/** What one choice of a response holds. */
export type ChoiceReading = {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly CallReading[]
  readonly seals: readonly SealReading[]
  readonly finish: string
}

/** A signature, or encrypted reasoning; `call` is the position of the tool call that it belongs to. */
export type SealReading = { readonly seal: string; readonly call: number | null }

/** `id` is null where the provider sent none: then ours must be unique. */
export type CallReading = {
  readonly id: string | null
  readonly name: string
  readonly arguments: unknown
}

export type UsageReading = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  /** In dollars, where the provider reports what the call cost. */
  readonly cost: number | null
}

/** What a recording holds, or the code of the error that it is. */
export type Reading =
  | {
      readonly choices: readonly ChoiceReading[]
      readonly usage: UsageReading | null
    }
  | { readonly error: string }

export const emptyChoice: ChoiceReading = {
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  seals: [],
  finish: '',
}

/** Each seal once: the end of a stream may repeat them. */
export function distinctSeals(seals: readonly SealReading[]): readonly SealReading[] {
  return [...new Map(seals.map((seal) => [JSON.stringify(seal), seal])).values()]
}

/** Arguments compared as what they mean; text that is not JSON, as it is. */
export function parsedArguments(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return text
  }
}

/** An amount without the noise of sums in floating point. */
export function dollars(amount: number): number {
  return Number(amount.toFixed(9))
}
