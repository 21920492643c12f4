import { messageOrigins, type NamedMessage } from '../wire/message-origins.ts'
import { chatPicture } from '../wire/picture.ts'
import { type ReasoningDetail, readReasoningToken } from '../wire/reasoning-token.ts'
import { argumentsOf } from './custom-tools.ts'
import type {
  CallItem,
  InputItem,
  MessageItem,
  ReasoningItem,
  ResponsesRequest,
  ToolOutputItem,
} from './responses-request.ts'

/** A chat message under construction, and the input items that it is made of. */
type Draft = NamedMessage & {
  readonly message: Record<string, unknown>
  readonly fields: Record<string, string>
}

export type ReadInput = {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly origins: readonly (readonly [string, string])[]
}

/**
 * Reads instructions and input as chat messages. Reasoning, text and calls of one turn are separate
 * items of a response and one assistant message of a chat.
 */
export function readInput({ input, instructions }: ResponsesRequest): ReadInput {
  const drafts: Draft[] = []
  if (typeof instructions === 'string' && instructions !== '') {
    drafts.push(textDraft('system', instructions, 'instructions'))
  }
  if (typeof input === 'string') drafts.push(textDraft('user', input, 'input'))
  else {
    for (const [index, item] of input.entries()) addItem(drafts, item, `input[${index}]`)
  }
  return {
    messages: drafts.map(({ message }) => message),
    origins: messageOrigins(drafts),
  }
}

function textDraft(role: string, content: string, origin: string): Draft {
  return { message: { role, content }, origin, fields: { content: origin } }
}

function addItem(drafts: Draft[], item: InputItem, origin: string): void {
  switch (item.type) {
    case undefined:
    case 'message':
      return addMessage(drafts, item, origin)
    case 'reasoning': {
      const details = detailsOf(item)
      if (details.length === 0) return
      const { message } = openAssistantTurn(drafts, origin)
      listAt(message, 'reasoning_details').push(...details)
      return
    }
    case 'function_call':
    case 'custom_tool_call':
      if (item.name !== '') addCall(openAssistantTurn(drafts, origin), item, origin)
      return
    case 'image_generation_call': {
      const { result, output_format: format } = item
      if (!result) return
      const { message } = openAssistantTurn(drafts, origin)
      const url = `data:image/${format ?? 'png'};base64,${result}`
      listAt(message, 'images').push(chatPicture(url))
      return
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const { output } = item
      const content = `${origin}.output`
      const call = { content, tool_call_id: `${origin}.call_id` }
      const fields = { ...call, ...imageNames(output, content) }
      const parts = partNames(output, content)
      drafts.push({ message: toolMessage(item), origin, fields, parts })
      return
    }
    case 'item_reference':
      return
  }
}

function addCall({ message, fields }: Draft, item: CallItem, origin: string): void {
  const isFunction = item.type === 'function_call'
  const args = isFunction ? item.arguments : argumentsOf(item.input)
  const calls = listAt(message, 'tool_calls')
  const place = `tool_calls[${calls.length}]`
  fields[place] = origin
  fields[`${place}.id`] = `${origin}.call_id`
  fields[`${place}.function`] = origin
  fields[`${place}.function.arguments`] = `${origin}.${isFunction ? 'arguments' : 'input'}`
  calls.push({
    id: item.call_id,
    type: 'function',
    function: { name: item.name, arguments: args },
  })
}

function toolMessage({ call_id: tool_call_id, output }: ToolOutputItem): Draft['message'] {
  if (typeof output === 'string') return { role: 'tool', tool_call_id, content: output }
  return { role: 'tool', tool_call_id, content: output.length === 0 ? '' : output.map(chatPart) }
}

function partNames(content: string | readonly Part[], origin: string): readonly string[] {
  return typeof content === 'string' ? [] : content.map((_, at) => `${origin}[${at}]`)
}

/** An image of this interface has its address and its detail next to its type. */
function imageNames(content: string | readonly Part[], origin: string): Record<string, string> {
  const given = typeof content === 'string' ? [] : content
  return Object.fromEntries(
    given.flatMap(({ type }, at) => {
      const image = `content[${at}].image_url`
      const place = `${origin}[${at}]`
      const names = { [image]: place, [`${image}.url`]: `${place}.image_url` }
      return type === 'input_image' ? Object.entries(names) : []
    }),
  )
}

function addMessage(drafts: Draft[], item: MessageItem, origin: string): void {
  const { role, content } = item
  if (role !== 'assistant') {
    drafts.push({
      message: { role, content: typeof content === 'string' ? content : content.map(chatPart) },
      origin,
      fields: imageNames(content, `${origin}.content`),
    })
    return
  }
  const parts =
    typeof content === 'string' ? [{ type: 'output_text' as const, text: content }] : content
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('')
  const refusal = parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join('')
  // A text with citations alone would separate a call from its output.
  if (text === '' && refusal === '') return
  const { message, fields } = openAssistantTurn(drafts, origin, 'content')
  const { content: before } = message
  message['content'] = typeof before === 'string' ? before + text : text
  fields['content'] = `${origin}.content`
  if (refusal !== '') message['refusal'] = refusal
}

type Part = Exclude<MessageItem['content'], string>[number]

function chatPart(part: Part): object {
  switch (part.type) {
    case 'input_image':
    case 'image_url': {
      const { url, detail } = imageOf(part)
      return { type: 'image_url', image_url: { url, ...(detail && { detail }) } }
    }
    case 'refusal':
      return { type: 'text', text: part.refusal }
    default:
      return { type: 'text', text: part.text }
  }
}

type ImagePart = Extract<Part, { readonly type: 'input_image' | 'image_url' }>

function imageOf(part: ImagePart): {
  readonly url: string
  readonly detail?: string | null | undefined
} {
  return part.type === 'image_url' ? part.image_url : { url: part.image_url, detail: part.detail }
}

/**
 * The assistant message that the last items belong to; a new one when it has the field `taken`, unless
 * it has calls: their results must follow.
 */
function openAssistantTurn(drafts: Draft[], origin: string, taken?: string): Draft {
  const last = drafts.at(-1)
  const isOpen =
    last?.message['role'] === 'assistant' &&
    (taken === undefined || last.message[taken] === undefined || 'tool_calls' in last.message)
  if (last !== undefined && isOpen) return last
  const draft = { message: { role: 'assistant' }, origin, fields: {} }
  drafts.push(draft)
  return draft
}

/** The list of a message under construction, which is added if it is missing. */
function listAt(message: Record<string, unknown>, key: string): unknown[] {
  const value = message[key]
  if (Array.isArray(value)) return value
  const added: unknown[] = []
  message[key] = added
  return added
}

/** Steps that this service sent are restored whole; others give their text alone. */
function detailsOf({
  summary,
  content,
  encrypted_content: token,
}: ReasoningItem): readonly object[] {
  const text = (content ?? []).map((part) => part.text).join('')
  const summarized = (summary ?? []).map((part) => part.text).join('\n\n')
  const known: ReasoningDetail | undefined =
    typeof token === 'string' ? readReasoningToken(token) : undefined
  if (known !== undefined) {
    const written = text === '' ? summarized : text
    const field = known.type === 'reasoning.summary' ? 'summary' : 'text'
    return [{ ...known, ...(written !== '' && { [field]: written }) }]
  }
  if (text !== '') return [{ type: 'reasoning.text', text }]
  return summarized === '' ? [] : [{ type: 'reasoning.summary', summary: summarized }]
}
