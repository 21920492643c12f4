import type { ChatChunk, ChatCompletion } from '@farebox/api'

/** A whole answer as a single chunk of a stream. */
export function completionChunk(completion: ChatCompletion): ChatChunk {
  const { id, created, model, choices, usage } = completion
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: choices.map(({ index, message, logprobs, finish_reason, stop_sequence }) => ({
      index,
      delta: {
        ...message,
        tool_calls: message.tool_calls?.map((call, position) => ({ ...call, index: position })),
      },
      logprobs,
      finish_reason,
      stop_sequence,
    })),
    usage,
  }
}
