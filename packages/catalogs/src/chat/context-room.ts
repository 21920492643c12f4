import type { ChatModel } from './chat-model.ts'

type Limits = Pick<ChatModel, 'contextLength' | 'maxOutputTokens'>

/**
 * The most output tokens that fit the context after the input; 0 if the input fills it.
 *
 * @throws RangeError if `inputTokens` is not a whole number of at least 0.
 */
export function remainingTokens(model: Limits, inputTokens: number): number {
  requireTokens('inputTokens', inputTokens)
  return Math.max(0, Math.min(model.maxOutputTokens, model.contextLength - inputTokens))
}

/**
 * Whether an input and the output asked for fit into a model's context and its output limit.
 *
 * @throws RangeError if a number of tokens is not a whole number of at least 0.
 */
export function fitsContext(
  model: Limits,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): boolean {
  requireTokens('inputTokens', inputTokens)
  requireTokens('outputTokens', outputTokens)
  return outputTokens <= model.maxOutputTokens && inputTokens + outputTokens <= model.contextLength
}

/** Compared with a limit, `NaN` would not fit and a negative number would always. */
function requireTokens(name: string, tokens: unknown): void {
  if (Number.isSafeInteger(tokens) && Number(tokens) >= 0) return
  throw new RangeError(`${name} must be a whole number of at least 0, and is ${String(tokens)}`)
}
