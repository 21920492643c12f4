import type { ChatRequest } from '@farebox/api'
import type { ChatModel } from '@farebox/catalogs'
import type { RequestRejection } from './request-rejection.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

/** OpenRouter's `reasoning` in OpenAI's words, or why the model cannot do what it asks. */
export function resolveReasoning(
  request: ChatRequest,
  model: ChatModel,
): { readonly request: ChatRequest } | { readonly rejection: RequestRejection } {
  const { reasoning } = request
  if (reasoning === undefined) return { request }
  const takesEffort = model.parameters.includes('reasoning_effort')
  const effort = effortOf(reasoning, model)
  if (reasoning.max_tokens !== undefined) {
    const fix = takesEffort ? 'Use reasoning.effort instead, or remove it' : 'Remove it'
    return reject('reasoning.max_tokens', model, fix)
  }
  if (reasoning.exclude === true && model.reasoning !== 'none') {
    return reject('reasoning.exclude', model, 'Remove it, and ignore reasoning in the response')
  }
  const isNeutral = effort === 'none' && model.reasoning === 'none'
  if (effort !== undefined && !isNeutral && !takesEffort) {
    const param = reasoning.effort === undefined ? 'reasoning.enabled' : 'reasoning.effort'
    return reject(param, model, 'Remove it or choose another model')
  }
  const reasoning_effort = request.reasoning_effort ?? effort
  return { request: { ...request, reasoning: undefined, reasoning_effort } }
}

function effortOf(
  { effort, enabled }: NonNullable<ChatRequest['reasoning']>,
  model: ChatModel,
): Effort | undefined {
  if (effort !== undefined || enabled === undefined) return effort
  if (!enabled) return 'none'
  return model.reasoning === 'always' ? undefined : 'medium'
}

function reject(
  param: string,
  { id }: ChatModel,
  fix: string,
): { readonly rejection: RequestRejection } {
  const message = `${param} is not supported with ${id}. ${fix}.`
  return { rejection: { code: 'unsupported_field', param, message } }
}
