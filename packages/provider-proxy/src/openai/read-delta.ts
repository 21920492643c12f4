import type { ChatChunk } from '@farebox/api'
import { readDetail } from '../reasoning/read-detail.ts'
import type { ReasoningDetail } from '../reasoning/reasoning-detail.ts'
import { arrayAt, firstTextAt, isRecord, type JsonRecord, textAt } from '../wire/json-reading.ts'
import type { ProviderProfile } from './provider-profile.ts'
import { readAnnotations, readPictures } from './read-annotations.ts'

type Delta = ChatChunk['choices'][number]['delta']

/** The texts of a delta that our own API supports, or undefined if it has none. */
export function readDelta(
  delta: JsonRecord,
  { name, reasoningFields, reasoningFormat }: ProviderProfile,
): Delta | undefined {
  const content = readContent(delta)
  const reasoning = firstTextAt(delta, reasoningFields) ?? readThinking(delta)
  const refusal = textAt(delta, 'refusal')
  const details = readDetails(delta) ?? textDetails(reasoning, reasoningFormat)
  const annotations = readAnnotations(delta)
  const images = readPictures(delta, name)
  const nothing =
    annotations.length + images.length === 0 &&
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
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
  }
}

/** Text, or the text parts of an array, as Mistral's thinking models send them. */
function readContent(delta: JsonRecord): string | undefined {
  const { content } = delta
  if (typeof content === 'string') return content === '' ? undefined : content
  return joinedText(arrayAt(delta, 'content'))
}

function readThinking(delta: JsonRecord): string | undefined {
  const thoughts = arrayAt(delta, 'content')
    .filter(isRecord)
    .filter((part) => part['type'] === 'thinking')
    .flatMap((part) => arrayAt(part, 'thinking'))
  return joinedText(thoughts)
}

function joinedText(parts: readonly unknown[]): string | undefined {
  const text = parts
    .filter(isRecord)
    .filter((part) => part['type'] === 'text')
    .map((part) => textAt(part, 'text') ?? '')
    .join('')
  return text === '' ? undefined : text
}

function readDetails(delta: JsonRecord): ReasoningDetail[] | undefined {
  const details = arrayAt(delta, 'reasoning_details').flatMap(
    (detail, position) => readDetail(detail, position) ?? [],
  )
  return details.length === 0 ? undefined : details
}

function textDetails(
  text: string | undefined,
  format: string | undefined,
): ReasoningDetail[] | undefined {
  if (text === undefined || format === undefined) return undefined
  return [{ type: 'reasoning.text', format, index: 0, text }]
}
