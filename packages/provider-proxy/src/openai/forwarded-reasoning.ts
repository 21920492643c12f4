import type { ReasoningDetail } from '../reasoning/reasoning-detail.ts'
import {
  type ReasonedMessage,
  returnedDetails,
  returnedText,
} from '../reasoning/returned-reasoning.ts'
import type { MessageShape } from './provider-profile.ts'

type Context = {
  readonly upstreamModel: string
  readonly hasCalls: boolean
  readonly format: string | undefined
}

/** The reasoning of an earlier turn, if it came from the provider that receives it. */
export function forwardedReasoning(
  message: ReasonedMessage,
  shape: MessageShape['reasoning'],
  { upstreamModel, hasCalls, format }: Context,
): object {
  switch (shape) {
    case 'dropped':
      return {}
    case 'details': {
      const details = returnedDetails(message).filter((detail) => isReadBy(upstreamModel, detail))
      return details.length === 0 ? {} : { reasoning_details: details }
    }
    case 'text with tools': {
      if (!hasCalls) return {}
      // Thinking models reject a turn without the field, or with an empty text.
      return { reasoning_content: (format && returnedText(message, format)) ?? ' ' }
    }
  }
}

/** The formats of OpenRouter that only one maker's models read. */
const makers: readonly { readonly prefix: string; readonly format: RegExp }[] = [
  { prefix: 'anthropic/', format: /^anthropic-/ },
  { prefix: 'google/', format: /^google-/ },
  { prefix: 'openai/', format: /openai-responses/ },
  { prefix: 'x-ai/', format: /^xai-/ },
]

function isReadBy(upstreamModel: string, { format }: ReasoningDetail): boolean {
  if (typeof format !== 'string' || format === 'unknown') return true
  return makers.some((maker) => upstreamModel.startsWith(maker.prefix) && maker.format.test(format))
}
