import { type Citation, stepText } from '../wire/answer-pieces.ts'
import type { PictureData } from '../wire/picture.ts'
import { type ReasoningDetail, reasoningToken } from '../wire/reasoning-token.ts'
import { inputOf } from './custom-tools.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** An item of the output while it is being written. */
export type OpenItem =
  | { readonly kind: 'reasoning'; readonly detail: ReasoningDetail }
  | {
      readonly kind: 'message'
      readonly type: 'text' | 'refusal'
      readonly text: string
      /** Both are added to in place: an answer may have a hundred thousand. */
      readonly logprobs: unknown[]
      readonly citations: Citation[]
    }
  | { readonly kind: 'picture'; readonly picture: PictureData }
  | {
      /** A custom tool is called with text; its arguments hold it until they are whole. */
      readonly kind: 'call' | 'custom_call'
      readonly index: number
      readonly callId: string
      readonly name: string
      readonly args: string
    }

const prefixes = {
  reasoning: 'rs',
  message: 'msg',
  picture: 'ig',
  call: 'fc',
  custom_call: 'ctc',
} as const

/** The id of an item: unique over a conversation, since the answer's is. */
export function itemId(kind: OpenItem['kind'], answerId: string, position: number): string {
  return `${prefixes[kind]}_${answerId}_${position}`
}

/** An item of the response. The token of a reasoning item holds the provider and the signature. */
export function outputItem(item: OpenItem, id: string, status: ItemStatus): object {
  switch (item.kind) {
    case 'reasoning': {
      const text = stepText(item.detail)
      return {
        id,
        type: 'reasoning',
        summary: text === '' ? [] : [{ type: 'summary_text', text }],
        encrypted_content: reasoningToken(item.detail),
      }
    }
    case 'message':
      return { id, type: 'message', status, role: 'assistant', content: [contentPart(item)] }
    case 'picture': {
      const { mediaType, base64: result } = item.picture
      const output_format = mediaType.slice('image/'.length)
      return { id, type: 'image_generation_call', status: 'completed', output_format, result }
    }
    case 'call': {
      const { callId: call_id, name, args } = item
      return { id, type: 'function_call', status, call_id, name, arguments: args }
    }
    case 'custom_call': {
      const { callId: call_id, name, args } = item
      return { id, type: 'custom_tool_call', status, call_id, name, input: inputOf(args) }
    }
  }
}

/** The only part of a message here: its text, or a refusal. */
export function contentPart(item: Extract<OpenItem, { kind: 'message' }>): object {
  if (item.type === 'refusal') return { type: 'refusal', refusal: item.text }
  const annotations = item.citations.map(textAnnotation)
  return { type: 'output_text', text: item.text, annotations, logprobs: item.logprobs }
}

/** A source, and the range of the text that cites it. */
export function textAnnotation(citation: Citation): object {
  return { type: 'url_citation', ...citation }
}
