import type { ChatChunk } from '@farebox/api'
import { unusableCall } from '../provider/unusable-call.ts'
import type { ChunkFrame } from '../wire/chat-wire.ts'
import { generatedCallId } from '../wire/generated-call-id.ts'
import { arrayAt, isRecord, type JsonRecord, recordAt, textAt } from '../wire/json-reading.ts'

type ToolCalls = NonNullable<ChatChunk['choices'][number]['delta']['tool_calls']>

/** Reads the tool calls of one choice, whole or in pieces, and numbers them from 0. */
export type ToolCallReader = {
  /** @throws {UpstreamError} for too many calls, and when too much of calls without a name is held back. */
  read(delta: JsonRecord): ToolCalls
  /**
   * Emits empty arguments for calls without any, once: clients parse them as JSON.
   *
   * @throws {UpstreamError} when a call has arguments and no name.
   */
  end(): ToolCalls
  isEmpty(): boolean
}

type Call = {
  readonly upstreamIndex: unknown
  readonly upstreamId: string | undefined
  /** The provider's id, if it can be passed on. */
  readonly ownId: string | undefined
  /** Clients need the name in the first piece: a call without one is held back. */
  open: { readonly index: number; readonly name: string } | undefined
  /** What is held back; afterwards empty only as long as the call has no arguments. */
  args: string
}

type Piece = {
  readonly index: unknown
  readonly id: string | undefined
  readonly name: string | undefined
  readonly text: string | undefined
}

/** The longest id that is accepted as history, in characters. */
const maxIdLength = 256
/** The most that is held back of calls without a name, in characters: it counts towards no budget. */
const maxHeld = 65_536
/** Far more than an answer in a conversation may have. */
const maxCalls = 1_024
/** What a piece counts as besides its text. */
const pieceSize = 64

export function createToolCallReader(frame: ChunkFrame, choice: number): ToolCallReader {
  const calls: Call[] = []
  let named = 0
  let held = 0

  /** Some servers give every call the same id, which would make their results ambiguous. */
  function isUsable(id: string | undefined): id is string {
    const isTaken = calls.some(({ upstreamId }) => upstreamId === id)
    return id !== undefined && id.length <= maxIdLength && !isTaken
  }

  function readPiece(piece: Piece): ToolCalls {
    const known = openCall(calls, piece)
    const isNew = known === undefined || isAnotherCall(known, piece)
    const call = isNew ? newCall(piece, isUsable(piece.id) ? piece.id : undefined) : known
    if (isNew) calls.push(call)
    const { open } = call
    const { text, name } = piece
    if (open !== undefined) {
      call.args ||= text ?? ''
      return [{ index: open.index, ...(text !== undefined && { function: { arguments: text } }) }]
    }
    call.args += text ?? ''
    if (name === undefined) {
      held += pieceSize + (text?.length ?? 0)
      if (held > maxHeld) throw unusableCall(frame.provider, 'without a name')
      return []
    }
    const index = named
    named += 1
    if (named > maxCalls) throw unusableCall(frame.provider, `after ${maxCalls} others`)
    call.open = { index, name }
    const id = call.ownId ?? generatedCallId(frame, choice, index)
    return [{ index, id, type: 'function', function: { name, arguments: call.args } }]
  }

  return {
    read: (delta) => arrayAt(delta, 'tool_calls').filter(isRecord).map(pieceOf).flatMap(readPiece),
    isEmpty: () => named === 0,
    end: () =>
      calls.flatMap((call) => {
        const { open, args } = call
        if (open === undefined && args !== '') throw unusableCall(frame.provider, 'without a name')
        if (open === undefined || args !== '') return []
        call.args = '{}'
        return [{ index: open.index, function: { arguments: call.args } }]
      }),
  }
}

function pieceOf(given: JsonRecord): Piece {
  const part = recordAt(given, 'function')
  return {
    index: given['index'],
    id: textAt(given, 'id'),
    name: part && textAt(part, 'name'),
    text: argumentsText(part?.['arguments']),
  }
}

/** Some servers send the arguments as an object instead of as its text. */
function argumentsText(given: unknown): string | undefined {
  if (isRecord(given)) return JSON.stringify(given)
  return typeof given === 'string' ? given : undefined
}

function newCall({ index, id }: Piece, ownId: string | undefined): Call {
  return { upstreamIndex: index, upstreamId: id, ownId, open: undefined, args: '' }
}

/** The call that a piece may continue: the last of its index, or without an index of its id. */
function openCall(calls: readonly Call[], { index, id }: Piece): Call | undefined {
  if (typeof index === 'number') return calls.findLast((call) => call.upstreamIndex === index)
  return id === undefined ? calls.at(-1) : calls.findLast((call) => call.upstreamId === id)
}

/** Some servers give every call the same index: then a piece with a name opens the next one. */
function isAnotherCall(call: Call, { id, name }: Piece): boolean {
  if (name === undefined || call.open === undefined) return false
  if (id !== undefined) return id !== call.upstreamId
  return call.upstreamId === undefined || name !== call.open.name
}
