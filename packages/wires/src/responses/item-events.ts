import { type Citation, stepText } from '../wire/answer-pieces.ts'
import { inputOf } from './custom-tools.ts'
import { contentPart, type OpenItem, outputItem, textAnnotation } from './output-items.ts'

/** An event without its sequence number. */
export type ResponseEvent = readonly [type: string, data: object]

export type ItemPlace = { readonly item_id: string; readonly output_index: number }

/** The events that open an empty item. */
export function openingEvents(item: OpenItem, place: ItemPlace): readonly ResponseEvent[] {
  const { item_id: id, output_index } = place
  const added: ResponseEvent = [
    'response.output_item.added',
    { output_index, item: emptyItem(item, id) },
  ]
  switch (item.kind) {
    case 'reasoning':
      if (stepText(item.detail) === '') return [added]
      return [
        added,
        [
          'response.reasoning_summary_part.added',
          { ...place, summary_index: 0, part: { type: 'summary_text', text: '' } },
        ],
      ]
    case 'message':
      return [
        added,
        [
          'response.content_part.added',
          {
            ...place,
            content_index: 0,
            part: contentPart({ ...item, text: '', logprobs: [], citations: [] }),
          },
        ],
      ]
    case 'picture':
      return [added, ['response.image_generation_call.in_progress', place]]
    case 'call':
    case 'custom_call':
      return [added]
  }
}

function emptyItem(item: OpenItem, id: string): object {
  switch (item.kind) {
    case 'reasoning':
      return { id, type: 'reasoning', summary: [] }
    case 'message':
      return { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    case 'picture':
      return { id, type: 'image_generation_call', status: 'in_progress', result: null }
    case 'call':
    case 'custom_call':
      return outputItem({ ...item, args: '' }, id, 'in_progress')
  }
}

type DeltaKind = 'reasoning' | 'text' | 'refusal' | 'call'
type Delta = { readonly text: string; readonly logprobs?: readonly unknown[] }

/** The events that add text to an item; none for an empty text. */
export function deltaEvents(
  kind: DeltaKind,
  place: ItemPlace,
  delta: Delta,
): readonly ResponseEvent[] {
  return delta.text === '' ? [] : [deltaEvent(kind, place, delta)]
}

function deltaEvent(kind: DeltaKind, place: ItemPlace, delta: Delta): ResponseEvent {
  switch (kind) {
    case 'reasoning':
      return [
        'response.reasoning_summary_text.delta',
        { ...place, summary_index: 0, delta: delta.text },
      ]
    case 'text':
      return [
        'response.output_text.delta',
        { ...place, content_index: 0, delta: delta.text, logprobs: delta.logprobs ?? [] },
      ]
    case 'refusal':
      return ['response.refusal.delta', { ...place, content_index: 0, delta: delta.text }]
    case 'call':
      return ['response.function_call_arguments.delta', { ...place, delta: delta.text }]
  }
}

/** The event that adds a source to the text of an item; `count` is the number of those before it. */
export function citationEvent(place: ItemPlace, count: number, citation: Citation): ResponseEvent {
  return [
    'response.output_text.annotation.added',
    {
      ...place,
      content_index: 0,
      annotation_index: count,
      annotation: textAnnotation(citation),
    },
  ]
}

/** The events that close an item, each with the complete content. */
export function closingEvents(
  item: OpenItem,
  place: ItemPlace,
  status: 'completed' | 'incomplete',
): readonly ResponseEvent[] {
  const done: ResponseEvent = [
    'response.output_item.done',
    { output_index: place.output_index, item: outputItem(item, place.item_id, status) },
  ]
  switch (item.kind) {
    case 'reasoning':
      return [...summaryDone(stepText(item.detail), place), done]
    case 'message':
      return [...contentDone(item, place), done]
    case 'picture':
      return [['response.image_generation_call.completed', place], done]
    case 'call':
      return [
        [
          'response.function_call_arguments.done',
          { ...place, name: item.name, arguments: item.args },
        ],
        done,
      ]
    case 'custom_call':
      return [...inputDone(inputOf(item.args), place), done]
  }
}

/** The text of a custom tool in one delta: until its arguments are whole, it is JSON. */
function inputDone(input: string, place: ItemPlace): readonly ResponseEvent[] {
  return [
    ['response.custom_tool_call_input.delta', { ...place, delta: input }],
    ['response.custom_tool_call_input.done', { ...place, input }],
  ]
}

function summaryDone(text: string, place: ItemPlace): readonly ResponseEvent[] {
  if (text === '') return []
  const at = { ...place, summary_index: 0 }
  return [
    ['response.reasoning_summary_text.done', { ...at, text }],
    ['response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }],
  ]
}

function contentDone(
  item: Extract<OpenItem, { kind: 'message' }>,
  place: ItemPlace,
): readonly ResponseEvent[] {
  const { type, text, logprobs } = item
  const at = { ...place, content_index: 0 }
  const textDone: ResponseEvent =
    type === 'refusal'
      ? ['response.refusal.done', { ...at, refusal: text }]
      : ['response.output_text.done', { ...at, text, logprobs }]
  return [textDone, ['response.content_part.done', { ...at, part: contentPart(item) }]]
}
