import type { ReasoningCall } from '../provider/chat-provider.ts'
import { reasoningFormats } from '../reasoning/reasoning-detail.ts'
import { detailsInFormat } from '../reasoning/returned-reasoning.ts'

/** How a request thinks, and whether it may then have a temperature. */
export type Thinking =
  | { readonly type: 'adaptive'; readonly display: 'summarized' | 'omitted' }
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'disabled' | 'between_tools' }

/**
 * `none` switches thinking off; Sonnet 5.5 still thinks between calls of tools. Another effort
 * switches it on where the model decides itself how much to think, from Claude 4.6 on. A temperature
 * or a forced tool excludes thinking, so there an effort only controls how much is written. Claude up
 * to 4.5 thinks within a number of tokens, if it gets one. Undefined leaves the model to its default:
 * from Claude 5 on, it thinks.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
export function thinkingOf({ request, upstreamModel }: ReasoningCall): Thinking | undefined {
  const { reasoning_effort: effort, reasoning } = request
  if (effort === 'none' || reasoning?.enabled === false) {
    return { type: lightThinkers.test(upstreamModel) ? 'between_tools' : 'disabled' }
  }
  const choice = request.tool_choice
  const isForced = choice === 'required' || typeof choice === 'object'
  if (isForced || (request.temperature ?? 1) !== 1) return undefined
  if (budgetModels.test(upstreamModel)) return budgetOf(request)
  if (effort === undefined) return undefined
  return { type: 'adaptive', display: reasoning?.exclude === true ? 'omitted' : 'summarized' }
}

/**
 * A turn that another model began, with calls but without thoughts, cannot continue with thoughts.
 */
function budgetOf({ reasoning, messages }: ReasoningCall['request']): Thinking | undefined {
  const budget_tokens = reasoning?.max_tokens
  if (budget_tokens === undefined) return undefined
  const last = messages.findLast(({ role }) => role === 'assistant' || role === 'user')
  const isOpen = last?.role === 'assistant' && last.tool_calls !== undefined
  if (isOpen && detailsInFormat(last, reasoningFormats.anthropic).length === 0) return undefined
  return { type: 'enabled', budget_tokens }
}

/** https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5 */
const lightThinkers = /^claude-sonnet-5-5(?!\d)/

/** Claude up to 4.5, which thinks only within a number of tokens. */
const budgetModels = /^claude-(\d|[a-z]+-4(-[0-5])?(-\d{8})?$)/

/** From Claude 5 on, models think unless a request switches it off. */
const defaultThinkers = /^claude-[a-z]+-[5-9]/

/** Whether the response may be billed for thoughts of which it has at most a summary. */
export function mayThink(call: ReasoningCall): boolean {
  const thinking = thinkingOf(call)
  return thinking === undefined ? defaultThinkers.test(call.upstreamModel) : isOn(thinking)
}

function isOn({ type }: Thinking): boolean {
  return type !== 'disabled'
}

/**
 * From Claude Fable 5.1 on, a returned thought is rejected if anything before it has changed, such
 * as a history that was shortened or another list of tools.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
const bindingModels = /^claude-[a-z]+-5-\d(?!\d)/

/** How a request treats thoughts whose conversation has changed. */
export type ThoughtBinding = {
  readonly thoughts: 'sent' | 'left out'
  readonly headers: Readonly<Record<string, string>>
  readonly thinking: object | undefined
}

/**
 * Lets Anthropic leave out such thoughts, which it can do only while the model thinks. Otherwise they
 * are not sent.
 */
export function thoughtBinding(call: ReasoningCall): ThoughtBinding {
  const thinking = thinkingOf(call)
  const unbound = { thoughts: 'sent', headers: {}, thinking } as const
  if (!bindingModels.test(call.upstreamModel) || !returnsThoughts(call)) return unbound
  if (thinking?.type === 'disabled' || thinking?.type === 'between_tools') {
    return { ...unbound, thoughts: 'left out' }
  }
  return {
    thoughts: 'sent',
    headers: { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' },
    thinking: {
      type: 'adaptive',
      ...thinking,
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    },
  }
}

function returnsThoughts({ request }: ReasoningCall): boolean {
  return request.messages.some(
    (message) => detailsInFormat(message, reasoningFormats.anthropic).length > 0,
  )
}
