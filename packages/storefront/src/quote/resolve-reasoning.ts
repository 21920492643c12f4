import { type ChatRequest, requestedMaxTokens } from '@farebox/api'
import type { ChatModel } from '@farebox/catalogs'
import type { RequestRejection } from './request-rejection.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

/**
 * OpenRouter's `reasoning` in OpenAI's words, or why the model cannot do what it asks. What these
 * words do not have stays in `reasoning`: the budget, and whether the answer has the reasoning.
 */
export function resolveReasoning(
  request: ChatRequest,
  model: ChatModel,
): { readonly request: ChatRequest } | { readonly rejection: RequestRejection } {
  const { reasoning } = request
  if (reasoning === undefined) return { request }
  const { max_tokens: budget } = reasoning
  const rejection = budget === undefined ? undefined : rejectBudget(request, budget, model)
  if (rejection !== undefined) return { rejection }
  const effort = effortOf(request, model)
  const takesEffort = model.parameters.includes('reasoning_effort')
  const isNeutral = effort === 'none' && model.reasoning === 'none'
  if (effort !== undefined && !isNeutral && !takesEffort) {
    const param = fieldOfEffort(reasoning)
    return { rejection: reject(param, model, 'Remove it or choose another model') }
  }
  return {
    request: {
      ...request,
      reasoning: kept(reasoning),
      reasoning_effort: request.reasoning_effort ?? effort,
    },
  }
}

type Asked = NonNullable<ChatRequest['reasoning']>

function kept({ exclude, max_tokens }: Asked): Asked | undefined {
  const budget = max_tokens || undefined
  const asked = { ...nothingAsked, max_tokens: budget, exclude: exclude || undefined }
  return asked.max_tokens === undefined && asked.exclude === undefined ? undefined : asked
}

const nothingAsked = { effort: undefined, enabled: undefined }

function fieldOfEffort({ effort, max_tokens }: Asked): string {
  if (max_tokens !== undefined) return 'reasoning.max_tokens'
  return effort === undefined ? 'reasoning.enabled' : 'reasoning.effort'
}

function rejectBudget(
  request: ChatRequest,
  budget: number,
  model: ChatModel,
): RequestRejection | undefined {
  const param = 'reasoning.max_tokens'
  if (!model.parameters.includes('reasoning_effort') && budget > 0) {
    return reject(param, model, 'Remove it or choose another model')
  }
  if (request.reasoning?.effort !== undefined || request.reasoning_effort !== undefined) {
    const message = `${param} cannot be combined with an effort. Remove one of them.`
    return { code: 'invalid_field', param, message }
  }
  const cap = requestedMaxTokens(request)
  if (budget < cap) return undefined
  const message = `${param} must be less than max_tokens, which is ${cap}.`
  return { code: 'invalid_field', param, message }
}

/** OpenRouter's shares of the output for an effort: high has 80 %, medium 50 %. */
const shares = [
  { effort: 'high', from: 0.8 },
  { effort: 'medium', from: 0.5 },
] as const

function effortOf(request: ChatRequest, model: ChatModel): Effort | undefined {
  const { effort, enabled, max_tokens: budget } = request.reasoning ?? {}
  if (effort !== undefined) return effort
  if (budget === 0 || enabled === false) return 'none'
  if (budget !== undefined) {
    const share = budget / requestedMaxTokens(request)
    return shares.find(({ from }) => share >= from)?.effort ?? 'low'
  }
  return enabled === undefined || model.reasoning === 'always' ? undefined : 'medium'
}

function reject(param: string, { id }: ChatModel, fix: string): RequestRejection {
  const message = `${param} is not supported with ${id}. ${fix}.`
  return { code: 'unsupported_field', param, message }
}
