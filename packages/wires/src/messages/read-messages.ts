import { messageOrigins, type NamedMessage } from '../wire/message-origins.ts'
import { readPictures } from '../wire/picture.ts'
import { type ReasoningDetail, readReasoningToken } from '../wire/reasoning-token.ts'
import type {
  AssistantContent,
  CountTokensRequest,
  SystemContent,
  ToolResultBlock,
  UserContent,
} from './messages-request.ts'

type ChatMessage = Readonly<Record<string, unknown>>

export type ReadMessages = {
  readonly messages: readonly ChatMessage[]
  readonly origins: readonly (readonly [string, string])[]
}

/** Reads system text and messages as chat messages; each tool result becomes a separate one. */
export function readMessages({ messages, system }: CountTokensRequest): ReadMessages {
  const read = messages.flatMap((message, index) => chatMessages(message, `messages[${index}]`))
  const first = systemMessage(system, 'system')
  const all = first.message['content'] === '' ? read : [first, ...read]
  return { messages: all.map(({ message }) => message), origins: messageOrigins(all) }
}

function chatMessages(
  message: CountTokensRequest['messages'][number],
  origin: string,
): readonly NamedMessage[] {
  switch (message.role) {
    case 'user':
      return userMessages(message.content, origin)
    case 'assistant':
      return [
        {
          message: assistantMessage(message.content),
          origin,
          fields: callNames(message.content, `${origin}.content`),
        },
      ]
    case 'system':
      // A message without content changes the effort alone.
      return message.content.length === 0
        ? []
        : [systemMessage(message.content, origin, `${origin}.content`)]
  }
}

/** One text, or its blocks if any of them is marked for the cache. */
function systemMessage(
  system: CountTokensRequest['system'] | SystemContent,
  origin: string,
  blocksAt = origin,
): NamedMessage {
  const blocks = typeof system === 'string' ? [{ type: 'text' as const, text: system }] : system
  const texts = (blocks ?? []).map((block, at, all) => {
    const text = instructionText(block)
    return { ...textPart({ ...block, text }), text: at === all.length - 1 ? text : `${text}\n\n` }
  })
  if (!texts.some((part) => 'cache_control' in part)) {
    const content = texts.map(({ text }) => text).join('')
    return { message: { role: 'system', content }, origin, fields: { content: blocksAt } }
  }
  const parts = texts.map((_, at) => `${blocksAt}[${at}]`)
  return { message: { role: 'system', content: texts }, origin, parts }
}

type InstructionBlock = Exclude<SystemContent, string>[number]

/** The chat interface has one list of tools, so a change of it is written as an instruction. */
function instructionText(block: InstructionBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'tool_addition':
      return available('name' in block.tool ? block.tool.name : block.tool.definition.name)
    case 'tool_removal':
      return `The tool ${block.tool.name} is no longer available.`
  }
}

function available(tool: string): string {
  return `The tool ${tool} is now available.`
}

type Marked = { readonly cache_control?: object | null | undefined }

type ChatPart = Marked & { readonly type: 'text' | 'image_url'; readonly text?: string }

function textPart({ text, ...block }: Marked & { readonly text: string }): ChatPart {
  return { type: 'text', text, ...markOf(block) }
}

/** The mark of a block, as the chat interface has it. */
export function markOf({ cache_control: mark }: Marked): Marked {
  return mark ? { cache_control: mark } : {}
}

type Part = { readonly part: ChatPart; readonly origin: string }

/** Results come first: they answer the calls of the message before. */
function userMessages(content: UserContent, origin: string): readonly NamedMessage[] {
  if (typeof content === 'string') return [{ message: { role: 'user', content }, origin }]
  const blocks = content.map((block, at) => ({ block, origin: `${origin}.content[${at}]` }))
  const results = blocks.flatMap(({ block, origin: at }) =>
    block.type === 'tool_result' ? [toolMessage(block, at)] : [],
  )
  const parts = blocks.flatMap(({ block, origin: at }) => userParts(block, at))
  if (parts.length === 0) return results
  const message = { role: 'user', content: parts.map(({ part }) => part) }
  return [...results, { message, origin, parts: parts.map((one) => one.origin) }]
}

function userParts(block: Exclude<UserContent, string>[number], origin: string): readonly Part[] {
  switch (block.type) {
    case 'text':
      return [{ part: textPart(block), origin }]
    case 'image':
      return [{ part: imagePart(block), origin }]
    case 'tool_result':
      return []
  }
}

type ResultBlock = Exclude<ToolResultBlock['content'], string | null | undefined>[number]

function resultBlocks({ content }: ToolResultBlock): readonly ResultBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content ?? []
}

type ImageBlock = Extract<ResultBlock, { readonly type: 'image' }>

function imagePart(image: ImageBlock): ChatPart & { readonly image_url: object } {
  const { source } = image
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  return { type: 'image_url', image_url: { url }, ...markOf(image) }
}

function toolMessage(result: ToolResultBlock, origin: string): NamedMessage {
  const given = markedError(resultParts(result, origin), result, origin)
  const parts = withLastMark(given, result)
  const [first, ...others] = parts.map(({ part }) => part)
  const isText = first?.type !== 'image_url' && !first?.cache_control
  const content = isText && others.length === 0 ? (first?.text ?? '') : [first, ...others]
  return {
    message: { role: 'tool', tool_call_id: result.tool_use_id, content },
    origin,
    fields: { tool_call_id: `${origin}.tool_use_id` },
    parts: parts.map((part) => part.origin),
  }
}

/** Texts and images in their order, since a text may name the image after it. Adjacent texts are one. */
function resultParts(result: ToolResultBlock, origin: string): readonly Part[] {
  const parts: Part[] = []
  for (const [at, block] of resultBlocks(result).entries()) {
    if (block.type === 'image') {
      parts.push({ part: imagePart(block), origin: `${origin}.content[${at}]` })
      continue
    }
    const before = parts.at(-1)?.part
    const text = resultText(block)
    if (before?.text === undefined) parts.push({ part: textPart({ ...block, text }), origin })
    else {
      const cache_control = block.cache_control ?? before.cache_control
      const joined = textPart({ cache_control, text: `${before.text}\n${text}` })
      parts[parts.length - 1] = { part: joined, origin }
    }
  }
  return parts.filter(({ part }) => part.text !== '')
}

/** The chat interface has no mark for a failed call, so its text begins with `Error:`. */
function markedError(
  parts: readonly Part[],
  { is_error }: ToolResultBlock,
  origin: string,
): readonly Part[] {
  const [first, ...rest] = parts
  const { text, cache_control } = first?.part ?? {}
  if (is_error !== true || /^error/i.test(text ?? '')) return parts
  if (text === undefined) return [{ part: textPart({ text: 'Error: ' }), origin }, ...parts]
  const marked = textPart({ cache_control, text: `Error: ${text}` })
  return [{ part: marked, origin }, ...rest]
}

function resultText(block: Exclude<ResultBlock, ImageBlock>): string {
  return block.type === 'text' ? block.text : available(block.tool_name)
}

/** The mark of a result is that of its last part. */
function withLastMark(parts: readonly Part[], result: ToolResultBlock): readonly Part[] {
  const last = parts.at(-1)
  if (last === undefined) return parts
  return [...parts.slice(0, -1), { ...last, part: { ...last.part, ...markOf(result) } }]
}

function assistantMessage(content: AssistantContent): ChatMessage {
  if (typeof content === 'string') {
    const { text, pictures } = readPictures(content)
    return { role: 'assistant', content: text, ...(pictures.length > 0 && { images: pictures }) }
  }
  const { text, pictures } = assistantText(content)
  const calls = content.filter(isCall).map(({ id, name, input, ...block }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
    ...markOf(block),
  }))
  const details = content.flatMap(reasoningOf)
  const isEmpty = pictures.length + calls.length + details.length === 0
  return {
    role: 'assistant',
    ...((text !== '' || isEmpty) && { content: text }),
    ...(pictures.length > 0 && { images: pictures }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

type AssistantBlock = Exclude<AssistantContent, string>[number]
type CallBlock = Extract<AssistantBlock, { readonly type: 'tool_use' }>

function isCall(block: AssistantBlock): block is CallBlock {
  return block.type === 'tool_use' && block.name !== ''
}

function callNames(content: AssistantContent, origin: string): Readonly<Record<string, string>> {
  if (typeof content === 'string') return {}
  const places = content.flatMap((block, at) => (isCall(block) ? [`${origin}[${at}]`] : []))
  return Object.fromEntries(
    places.flatMap((place, index) => [
      [`tool_calls[${index}]`, place],
      [`tool_calls[${index}].function`, place],
      [`tool_calls[${index}].function.arguments`, `${place}.input`],
    ]),
  )
}

type AssistantText = {
  /** One text, or its blocks if any of them is marked for the cache. */
  readonly text: string | readonly object[]
  readonly pictures: readonly object[]
}

function assistantText(content: readonly AssistantBlock[]): AssistantText {
  const read = content.flatMap((block) =>
    block.type === 'text' ? [{ ...block, ...readPictures(block.text) }] : [],
  )
  const texts = read.filter(({ text }) => text !== '')
  const isMarked = texts.some(({ cache_control: mark }) => mark)
  return {
    text: isMarked ? texts.map(textPart) : texts.map(({ text }) => text).join(''),
    pictures: read.flatMap(({ pictures }) => pictures),
  }
}

/** Steps that this service sent are restored whole; a signature of Anthropic's own stays one. */
function reasoningOf(block: AssistantBlock): readonly ReasoningDetail[] {
  switch (block.type) {
    case 'thinking': {
      const known = readReasoningToken(block.signature ?? '')
      const text = block.thinking
      if (known === undefined) {
        const signature = block.signature ? { signature: block.signature } : {}
        return [{ type: 'reasoning.text', text, ...signature }]
      }
      return [{ ...known, [known.type === 'reasoning.summary' ? 'summary' : 'text']: text }]
    }
    case 'redacted_thinking': {
      const known = readReasoningToken(block.data)
      return [known ?? { type: 'reasoning.encrypted', data: block.data }]
    }
    default:
      return []
  }
}
