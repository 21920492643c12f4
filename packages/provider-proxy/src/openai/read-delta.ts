import type { ChatChunk } from '@farebox/api'
import { arrayAt, firstTextAt, isRecord, type JsonRecord, textAt } from '../wire/json-reading.ts'

type Delta = ChatChunk['choices'][number]['delta']
type ReasoningDetails = NonNullable<Delta['reasoning_details']>

/** The texts of a delta that our own API knows, or undefined when it has none. */
export function readDelta(
  delta: JsonRecord,
  reasoningFields: readonly string[],
): Delta | undefined {
  const content = readContent(delta)
  const reasoning = firstTextAt(delta, reasoningFields) ?? readThinking(delta)
  const refusal = textAt(delta, 'refusal')
  const details = readDetails(delta)
  const nothing =
    content === undefined &&
    reasoning === undefined &&
    refusal === undefined &&
    details === undefined
  if (nothing) return undefined
  return {
    ...(content !== undefined && { content }),
    ...(reasoning !== undefined && { reasoning }),
    ...(details !== undefined && { reasoning_details: details }),
    ...(refusal !== undefined && { refusal }),
  }
}

/** Text, or the text parts of an array, as Mistral's thinking models send them. */
function readContent(delta: JsonRecord): string | undefined {
  const { content } = delta
  if (typeof content === 'string') return content === '' ? undefined : content
  return joinedText(arrayAt(delta, 'content'), 'text')
}

function readThinking(delta: JsonRecord): string | undefined {
  const parts = arrayAt(delta, 'content')
  if (parts.length === 0) return undefined
  const thoughts = parts
    .filter(isRecord)
    .filter((part) => part['type'] === 'thinking')
    .flatMap((part) => arrayAt(part, 'thinking'))
  return joinedText(thoughts, 'text')
}

function joinedText(parts: readonly unknown[], type: string): string | undefined {
  if (parts.length === 0) return undefined
  const text = parts
    .filter(isRecord)
    .filter((part) => part['type'] === type)
    .map((part) => textAt(part, 'text') ?? '')
    .join('')
  return text === '' ? undefined : text
}

function readDetails(delta: JsonRecord): ReasoningDetails | undefined {
  const details = arrayAt(delta, 'reasoning_details')
  if (details.length === 0) return undefined
  const known = details.flatMap((detail, position) => {
    if (!isRecord(detail)) return []
    const { type, format, index } = detail
    const text = textAt(detail, 'text')
    const summary = textAt(detail, 'summary')
    if (typeof type !== 'string' || (text === undefined && summary === undefined)) return []
    return [
      {
        type,
        ...(typeof format === 'string' && { format }),
        index: typeof index === 'number' ? index : position,
        ...(text !== undefined && { text }),
        ...(summary !== undefined && { summary }),
      },
    ]
  })
  return known.length === 0 ? undefined : known
}
