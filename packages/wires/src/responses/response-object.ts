import type { ChatUsage, FinishReason } from '@farebox/api'
import type { ResponsesRequest } from './responses-request.ts'

/** The state of a response besides its output. */
export type ResponseState = {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly output: readonly object[]
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly finishReason?: FinishReason | null
  readonly usage?: ChatUsage | undefined
  readonly error?: { readonly code: string; readonly message: string }
}

/** The `response` object: the answer, and the settings that it was made with. */
export function responseObject(request: ResponsesRequest, state: ResponseState): object {
  const { id, created, model, output, status, usage, error } = state
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: incompleteDetails(state),
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? null,
    },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? null,
    text: {
      format: request.text?.format ?? { type: 'text' },
      verbosity: request.text?.verbosity ?? 'medium',
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map((tool) =>
      tool.type === 'custom'
        ? { description: null, format: { type: 'text' }, ...tool }
        : { description: null, parameters: null, strict: null, ...tool },
    ),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: 'disabled',
    usage: usage === undefined ? null : responseUsage(usage),
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  }
}

function incompleteDetails({ status, finishReason }: ResponseState): object | null {
  if (status !== 'incomplete') return null
  return { reason: finishReason === 'content_filter' ? 'content_filter' : 'max_output_tokens' }
}

function responseUsage(usage: ChatUsage): object {
  const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details ?? {}
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: cached_tokens ?? 0,
      cache_write_tokens: cache_write_tokens ?? 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: {
      reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    total_tokens: usage.total_tokens,
  }
}

/** A complete answer stopped by itself or to call tools. */
export function endStatus(reason: FinishReason | null): 'completed' | 'incomplete' {
  return reason === 'length' || reason === 'content_filter' ? 'incomplete' : 'completed'
}
