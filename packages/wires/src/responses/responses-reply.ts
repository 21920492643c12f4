import {
  type AnswerPiece,
  answerPieces,
  isSameStep,
  joinStep,
  stepText,
} from '../wire/answer-pieces.ts'
import { completionChunk } from '../wire/completion-chunk.ts'
import { eventText } from '../wire/event-text.ts'
import { pictureData, pictureText } from '../wire/picture.ts'
import { createCallPlacer } from '../wire/place-calls.ts'
import { createCitationPlacer } from '../wire/place-citations.ts'
import type { ReplyStream, WireReply } from '../wire/wire.ts'
import { customToolNames } from './custom-tools.ts'
import {
  citationEvent,
  closingEvents,
  deltaEvents,
  type ItemPlace,
  openingEvents,
  type ResponseEvent,
} from './item-events.ts'
import { itemId, type OpenItem, outputItem } from './output-items.ts'
import { endStatus, type ResponseState, responseObject } from './response-object.ts'
import type { ResponsesRequest } from './responses-request.ts'

/** The answer to a Responses request, whole or as its typed events. */
export function createResponsesReply(request: ResponsesRequest): WireReply {
  return {
    body(completion) {
      const writer = createResponseWriter(request)
      writer.push(completionChunk(completion))
      writer.end()
      return writer.response()
    },
    openStream: () => createResponseWriter(request),
  }
}

type ResponseWriter = ReplyStream & { response(): object }

/** What has been written of an answer: the finished items, and the one that is open. */
type Written = {
  /** Added to in place: an answer may have a hundred thousand. */
  readonly output: object[]
  readonly open: OpenItem | undefined
}
type Step = { readonly written: Written; readonly events: readonly ResponseEvent[] }

function createResponseWriter(request: ResponsesRequest): ResponseWriter {
  let frame: Pick<ResponseState, 'id' | 'created' | 'model'> | undefined
  let written: Written = { output: [], open: undefined }
  let end: Omit<ResponseState, 'id' | 'created' | 'model' | 'output'> = { status: 'in_progress' }
  const numbered = createEventNumbers()
  const citations = createCitationPlacer()
  const calls = createCallPlacer()
  const customTools = customToolNames(request)

  const response = (): object =>
    responseObject(request, {
      ...(frame ?? { id: '', created: 0, model: '' }),
      output: written.output,
      ...end,
    })
  const write = ({ written: next, events }: Step): string => {
    written = next
    return events.map(numbered).join('')
  }
  const announce = (type: string): string => numbered([type, { response: response() }])
  const add = (pieces: readonly AnswerPiece[]): string =>
    pieces
      .map((piece) =>
        write(addPiece({ ...written, answerId: frame?.id ?? '', customTools }, piece)),
      )
      .join('')
  const place = (pieces: readonly AnswerPiece[]): string => add(calls.place(pieces))

  return {
    response,
    push(chunk) {
      const isFirst = frame === undefined
      frame ??= { id: chunk.id, created: chunk.created, model: chunk.model }
      const begun = isFirst ? announce('response.created') + announce('response.in_progress') : ''
      const events = place(citations.place(answerPieces(chunk)))
      const reason = chunk.choices.find(({ index }) => index === 0)?.finish_reason
      end = {
        ...end,
        finishReason: reason ?? end.finishReason ?? null,
        usage: chunk.usage ?? end.usage,
      }
      return begun + events
    },
    end() {
      const status = endStatus(end.finishReason ?? null)
      const rest = place(citations.rest()) + add(calls.rest())
      const closed = rest + write(closeItem(written, frame?.id ?? '', status))
      end = { ...end, status }
      return closed + announce(`response.${status}`)
    },
    fail({ code, message }) {
      const rest = place(citations.rest())
      // Without the events that close the open item: a client runs a function once its item is done.
      written = closeItem(written, frame?.id ?? '', 'incomplete').written
      end = { ...end, status: 'failed', error: { code, message } }
      return rest + announce('response.failed')
    },
  }
}

/** Writes events with their sequence numbers. */
function createEventNumbers(): (event: ResponseEvent) => string {
  let sequence = 0
  return ([type, data]) => {
    sequence += 1
    return eventText(type, { sequence_number: sequence - 1, ...data })
  }
}

function placeOf(item: OpenItem, answerId: string, position: number): ItemPlace {
  return { item_id: itemId(item.kind, answerId, position), output_index: position }
}

function closeItem(
  { output, open }: Written,
  answerId: string,
  status: 'completed' | 'incomplete',
): Step {
  if (open === undefined) return { written: { output, open }, events: [] }
  const place = placeOf(open, answerId, output.length)
  output.push(outputItem(open, place.item_id, status))
  return {
    written: { output, open: undefined },
    events: closingEvents(open, place, status),
  }
}

type Answer = Written & { readonly answerId: string; readonly customTools: ReadonlySet<string> }

function addPiece({ answerId, customTools, ...written }: Answer, piece: AnswerPiece): Step {
  const next = continued(written.open, piece)
  if (next !== undefined) {
    const place = placeOf(next, answerId, written.output.length)
    return { written: { ...written, open: next }, events: deltaOf(piece, place, next) }
  }
  const closed = closeItem(written, answerId, 'completed')
  const open = opened(piece, customTools)
  const place = placeOf(open, answerId, closed.written.output.length)
  return {
    written: { output: closed.written.output, open },
    events: [...closed.events, ...openingEvents(open, place), ...deltaOf(piece, place, open)],
  }
}

/** The open item with the piece added to it; `undefined` when the piece begins another. */
function continued(open: OpenItem | undefined, piece: AnswerPiece): OpenItem | undefined {
  if (open === undefined) return undefined
  switch (piece.kind) {
    case 'reasoning':
      return open.kind === 'reasoning' && isSameStep(open.detail, piece.detail)
        ? { ...open, detail: joinStep(open.detail, piece.detail) }
        : undefined
    case 'text':
      if (open.kind !== 'message' || open.type !== 'text') return undefined
      for (const logprob of piece.logprobs) open.logprobs.push(logprob)
      return { ...open, text: open.text + piece.text }
    case 'citation':
      if (open.kind !== 'message' || open.type !== 'text') return undefined
      open.citations.push(piece.citation)
      return open
    case 'picture':
      return undefined
    case 'refusal':
      return open.kind === 'message' && open.type === 'refusal'
        ? { ...open, text: open.text + piece.text }
        : undefined
    case 'call':
      return 'args' in open && open.index === piece.index
        ? { ...open, args: open.args + piece.args }
        : undefined
  }
}

function opened(piece: AnswerPiece, customTools: ReadonlySet<string>): OpenItem {
  switch (piece.kind) {
    case 'reasoning':
      return { kind: 'reasoning', detail: piece.detail }
    case 'text':
      return { ...emptyText, text: piece.text, logprobs: [...piece.logprobs], citations: [] }
    case 'citation':
      return { ...emptyText, logprobs: [], citations: [piece.citation] }
    case 'picture': {
      const picture = pictureData(piece.url)
      return picture === undefined
        ? { ...emptyText, text: pictureText(piece.url), logprobs: [], citations: [] }
        : { kind: 'picture', picture }
    }
    case 'refusal':
      return { ...emptyText, type: 'refusal', text: piece.text, logprobs: [], citations: [] }
    case 'call': {
      const { index, id, name = '', args } = piece
      const kind = customTools.has(name) ? 'custom_call' : 'call'
      return { kind, index, callId: id ?? '', name, args }
    }
  }
}

const emptyText = { kind: 'message', type: 'text', text: '' } as const

/** The events of a piece that was just added to the item. */
function deltaOf(piece: AnswerPiece, place: ItemPlace, item: OpenItem): readonly ResponseEvent[] {
  switch (piece.kind) {
    case 'reasoning':
      return deltaEvents('reasoning', place, { text: stepText(piece.detail) })
    case 'text':
      return deltaEvents('text', place, piece)
    case 'refusal':
      return deltaEvents('refusal', place, piece)
    case 'call':
      return item.kind === 'call' ? deltaEvents('call', place, { text: piece.args }) : []
    case 'picture':
      return item.kind === 'message' ? deltaEvents('text', place, item) : []
    case 'citation':
      return item.kind === 'message'
        ? [citationEvent(place, item.citations.length - 1, piece.citation)]
        : []
  }
}
