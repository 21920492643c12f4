import { type ChatRequest, requestedMaxTokens } from '@farebox/api'
import type { ChatModel } from '@farebox/catalogs'
import { reasonsOnlyOnRequest } from './reasons-only-on-request.ts'
import type { RequestRejection } from './request-rejection.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

/**
 * Translates OpenRouter's `reasoning` into OpenAI's fields, or explains why the model cannot follow
 * it. What OpenAI has no field for stays in `reasoning`: the budget, whether the answer includes
 * the reasoning, and for Claude an effort without reasoning.
 */
export function resolveReasoning(
  request: ChatRequest,
  model: ChatModel,
): { readonly request: ChatRequest } | { readonly rejection: RequestRejection } {
  const { reasoning } = request
  if (reasoning === undefined) return { request }
  const { max_tokens: budget } = reasoning
  const rejection =
    budget === undefined
      ? rejectEffortWithoutReasoning(request, model)
      : rejectBudget(request, budget, model)
  if (rejection !== undefined) return { rejection }
  const effort = effortOf(request, model)
  const takesEffort = model.parameters.includes('reasoning_effort')
  const isNeutral = effort === 'none' && reasonsOnlyOnRequest(model)
  const isImpossible = effort === 'none' && model.reasoning === 'always'
  if (effort !== undefined && !isNeutral && (!takesEffort || isImpossible)) {
    const param = fieldOfEffort(reasoning)
    return { rejection: reject(param, model, 'Remove it or choose another model') }
  }
  return {
    request: {
      ...request,
      reasoning: kept(reasoning, request.reasoning_effort ?? effort),
      reasoning_effort: request.reasoning_effort ?? effort,
    },
  }
}

type Asked = NonNullable<ChatRequest['reasoning']>

function kept(
  { exclude, max_tokens, enabled }: Asked,
  effort: Effort | undefined,
): Asked | undefined {
  const isOff = enabled === false && effort !== undefined && effort !== 'none'
  const asked = {
    effort: undefined,
    max_tokens: max_tokens || undefined,
    exclude: exclude || undefined,
    enabled: isOff ? false : undefined,
  }
  return Object.values(asked).every((value) => value === undefined) ? undefined : asked
}

/**
 * An effort without reasoning has a meaning only for Claude, from Claude 5 on up to `high`.
 * https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5
 */
function rejectEffortWithoutReasoning(
  { reasoning_effort, reasoning }: ChatRequest,
  { maker, reasoning: reasons, id }: ChatModel,
): RequestRejection | undefined {
  const effort = reasoning_effort ?? reasoning?.effort ?? 'none'
  if (reasoning?.enabled !== false || effort === 'none') return undefined
  const isTooMuch = /^(xhigh|max)$/.test(effort) && /\/claude-[a-z]+-[5-9]/.test(id)
  if (maker === 'anthropic' && reasons !== 'always' && !isTooMuch) return undefined
  const param = 'reasoning.enabled'
  const message = `${param} cannot be false with an effort for ${id}. Remove one of them.`
  return { code: 'invalid_field', param, message }
}

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
  if (thinksInBudget(model) && budget > 0) return rejectThinkingBudget(request, budget, model)
  if (!model.parameters.includes('reasoning_effort') && budget > 0) {
    return reject(param, model, 'Remove it or choose another model')
  }
  if (request.reasoning?.effort !== undefined || request.reasoning_effort !== undefined) {
    const message = `${param} cannot be combined with an effort. Remove one of them.`
    return { code: 'invalid_field', param, message }
  }
  return rejectBudgetAboveCap(request, budget)
}

function rejectBudgetAboveCap(request: ChatRequest, budget: number): RequestRejection | undefined {
  const param = 'reasoning.max_tokens'
  const cap = requestedMaxTokens(request)
  if (budget < cap) return undefined
  const message = `${param} must be less than max_tokens, which is ${cap}.`
  return { code: 'invalid_field', param, message }
}

/**
 * Claude up to 4.5 takes a thinking budget in tokens, and also an effort if it supports efforts.
 */
function thinksInBudget({ maker, id }: ChatModel): boolean {
  return maker === 'anthropic' && /\/claude-[a-z]+-4(\.[0-5])?$/.test(id)
}

const minThinkingBudget = 1024

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking: what it cannot be combined with. */
function rejectThinkingBudget(
  request: ChatRequest,
  budget: number,
  { id }: ChatModel,
): RequestRejection | undefined {
  const { temperature = 1, tool_choice: choice } = request
  const param = 'reasoning.max_tokens'
  if (budget < minThinkingBudget) {
    const message = `${param} must be at least ${minThinkingBudget} for ${id}.`
    return { code: 'invalid_field', param, message }
  }
  if (temperature !== 1) {
    const message = `temperature must be 1 with ${param} for ${id}. Remove one of them.`
    return { code: 'invalid_field', param: 'temperature', message }
  }
  if (choice === 'required' || typeof choice === 'object') {
    const message = `tool_choice must be auto or none with ${param} for ${id}. Remove one of them.`
    return { code: 'invalid_field', param: 'tool_choice', message }
  }
  return rejectBudgetAboveCap(request, budget)
}

/** OpenRouter's shares of the output for an effort: high has 80 %, medium 50 %. */
const shares = [
  { effort: 'high', from: 0.8 },
  { effort: 'medium', from: 0.5 },
] as const

function effortOf(request: ChatRequest, model: ChatModel): Effort | undefined {
  const { effort, enabled, max_tokens: budget } = request.reasoning ?? {}
  if (effort !== undefined) return effort
  if (budget !== undefined && budget > 0 && thinksInBudget(model)) return undefined
  if (budget === 0 || enabled === false) return 'none'
  if (budget !== undefined) {
    const share = budget / requestedMaxTokens(request)
    return shares.find(({ from }) => share >= from)?.effort ?? 'low'
  }
  if (enabled === undefined || model.reasoning === 'always') return undefined
  // https://platform.claude.com/docs/en/build-with-claude/effort: its own default.
  return model.maker === 'anthropic' ? 'high' : 'medium'
}

function reject(param: string, { id }: ChatModel, fix: string): RequestRejection {
  const message = `${param} is not supported with ${id}. ${fix}.`
  return { code: 'unsupported_field', param, message }
}
