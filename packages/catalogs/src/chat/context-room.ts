import type { ChatModel } from './chat-model.ts'

type Limits = Pick<ChatModel, 'contextLength' | 'maxOutputTokens'>

/** The most output tokens that fit the context after the input; 0 if the input fills it. */
export function remainingTokens(model: Limits, inputTokens: number): number {
  return Math.max(0, Math.min(model.maxOutputTokens, model.contextLength - inputTokens))
}

/** Whether an input and the output asked for fit into a model's context and its output limit. */
export function fitsContext(
  model: Limits,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): boolean {
  return outputTokens <= model.maxOutputTokens && inputTokens + outputTokens <= model.contextLength
}
