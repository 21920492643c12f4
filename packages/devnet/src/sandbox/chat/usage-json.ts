import type { Instructions } from '../wire/instructions.ts'
import type { ChatScript } from './chat-script.ts'

/** The usage to send: the real one, none, or a false one on request (`usage=12:34`). */
export function usageJson(script: ChatScript, instructions: Instructions): object | undefined {
  if (instructions.has('no_usage')) return undefined
  const { promptTokens, completionTokens, reasoningTokens } = script
  const lie = instructions.get('usage')?.split(':')
  const prompt = lie === undefined ? promptTokens : scalar(lie[0])
  const completion = lie === undefined ? completionTokens : scalar(lie[1])
  const cost = instructions.get('cost')
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: Number(prompt) + Number(completion),
    ...(reasoningTokens > 0 && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
    ...(cost !== undefined && { cost: scalar(cost) }),
  }
}

/** Parses a word as JSON; returns it as text if it is not valid JSON. */
function scalar(word = ''): unknown {
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}
