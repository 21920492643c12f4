import type { ChatCompletion } from '@farebox/api'

type Message = ChatCompletion['choices'][number]['message']

/** A step of reasoning as the chat wire carries it, signatures and ids of a provider included. */
export type ReasoningDetail = NonNullable<Message['reasoning_details']>[number]

/**
 * A step of reasoning without its text, as the opaque string that other interfaces give back
 * unchanged in the next request. Clients must treat it as opaque.
 */
export function reasoningToken({
  text: _text,
  summary: _summary,
  ...rest
}: ReasoningDetail): string {
  return JSON.stringify(rest)
}

/** The step of a token of ours; `undefined` for a string that another service made. */
export function readReasoningToken(token: string): ReasoningDetail | undefined {
  if (!token.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(token)
    return isDetail(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isDetail(value: unknown): value is ReasoningDetail {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  )
}
