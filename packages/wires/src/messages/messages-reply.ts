import type { ChatChunk, ChatUsage, FinishReason } from '@farebox/api'
import { type AnswerPiece, answerPieces, stepText } from '../wire/answer-pieces.ts'
import { completionChunk } from '../wire/completion-chunk.ts'
import { eventText } from '../wire/event-text.ts'
import { pictureText } from '../wire/picture.ts'
import { createCallPlacer } from '../wire/place-calls.ts'
import { createCitationPlacer } from '../wire/place-citations.ts'
import type { KnownAtStart, ReplyStream, WireReply } from '../wire/wire.ts'
import { callInput } from './call-input.ts'
import {
  type AnswerEnd,
  blockCitation,
  continueBlock,
  isRedacted,
  messageBlock,
  messageUsage,
  type OpenBlock,
  openBlock,
  stopReason,
} from './message-blocks.ts'
import { messagesErrorBody } from './messages-error.ts'

/** The answer to a Messages request, whole or as its typed events. */
export function createMessagesReply(): WireReply {
  return {
    body(completion) {
      const writer = createMessageWriter({ inputTokens: 0 })
      writer.push(completionChunk(completion))
      writer.end()
      return writer.message()
    },
    canExpress: ({ choices: [choice] }) =>
      isCutOff(choice?.finish_reason ?? null) ||
      !hasBrokenCall((choice?.message.tool_calls ?? []).map((call) => call.function.arguments)),
    openStream: createMessageWriter,
  }
}

type MessageWriter = ReplyStream & { message(): object }

/** What has been written of an answer: the finished blocks, and the one that is open. */
type Written = {
  /** Added to in place: an answer may have a hundred thousand. */
  readonly content: object[]
  readonly open: OpenBlock | undefined
}
type Step = { readonly written: Written; readonly text: string }

type EndSoFar = AnswerEnd & { readonly usage: ChatUsage | undefined }

function createMessageWriter({ inputTokens }: KnownAtStart): MessageWriter {
  let frame: { readonly id: string; readonly model: string } | undefined
  let written: Written = { content: [], open: undefined }
  let end: EndSoFar = nothingYet
  const citations = createCitationPlacer()
  const calls = createCallPlacer()
  const callArguments = new Map<number, string>()

  const message = (stop: string | null): object => ({
    id: `msg_${frame?.id ?? ''}`,
    type: 'message',
    role: 'assistant',
    model: frame?.model ?? '',
    content: written.content,
    stop_reason: stop,
    stop_sequence: end.stopSequence ?? null,
    usage: messageUsage(end.usage ?? startUsage(inputTokens)),
  })
  const write = ({ written: next, text }: Step): string => {
    written = next
    return text
  }
  const add = (pieces: readonly AnswerPiece[]): string =>
    pieces.map((piece) => write(addPiece(written, piece))).join('')
  const place = (pieces: readonly AnswerPiece[]): string => add(calls.place(pieces))

  return {
    message: () => message(stopReason(end)),
    push(chunk) {
      const isFirst = frame === undefined
      frame ??= { id: chunk.id, model: chunk.model }
      const begun = isFirst ? eventText('message_start', { message: message(null) }) : ''
      const pieces = answerPieces(chunk)
      noteArguments(callArguments, pieces)
      const text = place(citations.place(pieces))
      end = endAfter(end, chunk, pieces)
      return begun + text
    },
    end() {
      // The open block is not closed here either.
      if (!isCutOff(end.reason) && hasBrokenCall([...callArguments.values()])) {
        return eventText('error', messagesErrorBody(brokenCall))
      }
      const delta = { stop_reason: stopReason(end), stop_sequence: end.stopSequence ?? null }
      return (
        place(citations.rest()) +
        add(calls.rest()) +
        write(closeBlock(written)) +
        eventText('message_delta', { delta, usage: messageUsage(end.usage) }) +
        eventText('message_stop', {})
      )
    },
    // The open block is not closed: a client runs a tool once its block is.
    fail: (failure) => place(citations.rest()) + eventText('error', messagesErrorBody(failure)),
  }
}

const nothingYet: EndSoFar = {
  reason: null,
  refused: false,
  called: false,
  stopSequence: undefined,
  usage: undefined,
}

const brokenCall = {
  status: 500,
  code: 'upstream_truncated',
  message:
    'The model wrote arguments of a tool call that are not a JSON object, or are nested too deeply. What was delivered is billed, the rest refunded.',
}

function noteArguments(byCall: Map<number, string>, pieces: readonly AnswerPiece[]): void {
  for (const piece of pieces) {
    if (piece.kind !== 'call') continue
    byCall.set(piece.index, (byCall.get(piece.index) ?? '') + piece.args)
  }
}

/** Its last call may be incomplete, as Anthropic's is: the stop reason states it. */
function isCutOff(reason: FinishReason | null): boolean {
  return reason === 'length' || reason === 'content_filter'
}

function hasBrokenCall(allArguments: readonly string[]): boolean {
  return allArguments.some((args) => callInput(args) === undefined)
}

function startUsage(prompt_tokens: number): ChatUsage {
  return { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens }
}

function endAfter(end: EndSoFar, chunk: ChatChunk, pieces: readonly AnswerPiece[]): EndSoFar {
  const choice = chunk.choices.find(({ index }) => index === 0)
  return {
    reason: choice?.finish_reason ?? end.reason,
    stopSequence: choice?.stop_sequence ?? end.stopSequence,
    refused: end.refused || pieces.some(({ kind }) => kind === 'refusal'),
    called: end.called || pieces.some(({ kind }) => kind === 'call'),
    usage: chunk.usage ?? end.usage,
  }
}

function closeBlock({ content, open }: Written): Step {
  if (open === undefined) return { written: { content, open }, text: '' }
  const index = content.length
  content.push(messageBlock(open))
  return {
    written: { content, open: undefined },
    text: signatureText(open, index) + eventText('content_block_stop', { index }),
  }
}

function addPiece(written: Written, piece: AnswerPiece): Step {
  const next = continueBlock(written.open, piece)
  if (next !== undefined) {
    return { written: { ...written, open: next }, text: deltaText(piece, written.content.length) }
  }
  const closed = closeBlock(written)
  const { content } = closed.written
  const open = openBlock(piece)
  const text = startText(open, content.length) + deltaText(piece, content.length)
  return { written: { content, open }, text: closed.text + text }
}

function startText(block: OpenBlock, index: number): string {
  return eventText('content_block_start', { index, content_block: emptyBlock(block) })
}

function emptyBlock(block: OpenBlock): object {
  switch (block.kind) {
    case 'text':
    case 'picture':
      return { type: 'text', text: '' }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} }
    case 'reasoning':
      return isRedacted(block.detail)
        ? messageBlock(block)
        : { type: 'thinking', thinking: '', signature: '' }
  }
}

function deltaText(piece: AnswerPiece, index: number): string {
  switch (piece.kind) {
    case 'text':
    case 'refusal':
      return piece.text === '' ? '' : blockDelta(index, { type: 'text_delta', text: piece.text })
    case 'citation':
      return blockDelta(index, { type: 'citations_delta', citation: blockCitation(piece.citation) })
    case 'picture':
      return blockDelta(index, { type: 'text_delta', text: pictureText(piece.url) })
    case 'call':
      if (piece.args === '') return ''
      return blockDelta(index, { type: 'input_json_delta', partial_json: piece.args })
    case 'reasoning': {
      const thinking = stepText(piece.detail)
      return thinking === '' ? '' : blockDelta(index, { type: 'thinking_delta', thinking })
    }
  }
}

/** A step is signed at its end, when all of its fields have arrived. */
function signatureText(block: OpenBlock, index: number): string {
  if (block.kind !== 'reasoning' || isRedacted(block.detail)) return ''
  const finished = messageBlock(block)
  return 'signature' in finished
    ? blockDelta(index, { type: 'signature_delta', signature: finished.signature })
    : ''
}

function blockDelta(index: number, delta: object): string {
  return eventText('content_block_delta', { index, delta })
}
