import type { ChatChunk } from '@farebox/api'
import type { ChunkFrame } from '../wire/chat-wire.ts'
import { generatedCallId } from '../wire/generated-call-id.ts'
import { arrayAt, isRecord, type JsonRecord, recordAt, textAt } from '../wire/json-reading.ts'

type ToolCalls = NonNullable<ChatChunk['choices'][number]['delta']['tool_calls']>

/** Reads the tool calls of one choice, whole or in pieces, and numbers them from 0. */
export type ToolCallReader = {
  read(delta: JsonRecord): ToolCalls
  /** Emits empty arguments for calls without any: clients parse them as JSON. */
  end(): ToolCalls
  isEmpty(): boolean
}

type Call = {
  readonly upstreamIndex: unknown
  readonly upstreamId: string | undefined
  name: string | undefined
  hasArguments: boolean
}

type Piece = {
  readonly index: unknown
  readonly id: string | undefined
  readonly name: string | undefined
  readonly text: string | undefined
}

/** The longest id that is accepted as history, in characters. */
const maxIdLength = 256

export function createToolCallReader(frame: ChunkFrame, choice: number): ToolCallReader {
  const calls: Call[] = []

  /** Some servers give every call the same id, which would make their results ambiguous. */
  function isUsable(id: string | undefined): id is string {
    const isTaken = calls.some(({ upstreamId }) => upstreamId === id)
    return id !== undefined && id.length <= maxIdLength && !isTaken
  }

  function readPiece(piece: Piece): ToolCalls[number] {
    const open = openCall(calls, piece)
    const isNew = open === undefined || isAnotherCall(open, piece)
    const call = isNew ? newCall(piece) : open
    const ownId = isNew && isUsable(piece.id) ? piece.id : undefined
    if (isNew) calls.push(call)
    const index = calls.indexOf(call)
    const name = isNew || call.name === undefined ? piece.name : undefined
    call.name ??= name
    call.hasArguments ||= (piece.text ?? '') !== ''
    const part = {
      ...(name !== undefined && { name }),
      ...(piece.text !== undefined && { arguments: piece.text }),
    }
    return {
      index,
      ...(isNew && { id: ownId ?? generatedCallId(frame, choice, index), type: 'function' }),
      ...(Object.keys(part).length > 0 && { function: part }),
    }
  }

  return {
    read: (delta) => arrayAt(delta, 'tool_calls').filter(isRecord).map(pieceOf).map(readPiece),
    isEmpty: () => calls.length === 0,
    end: () =>
      calls.flatMap((call, index) =>
        call.hasArguments ? [] : [{ index, function: { arguments: '{}' } }],
      ),
  }
}

function pieceOf(given: JsonRecord): Piece {
  const part = recordAt(given, 'function')
  const text = part?.['arguments']
  return {
    index: given['index'],
    id: textAt(given, 'id'),
    name: part && textAt(part, 'name'),
    // Some servers send the arguments as an object instead of as its text.
    text: isRecord(text) ? JSON.stringify(text) : typeof text === 'string' ? text : undefined,
  }
}

function newCall({ index, id, name }: Piece): Call {
  return { upstreamIndex: index, upstreamId: id, name, hasArguments: false }
}

/** The call that a piece may continue: the last of its index, or without an index of its id. */
function openCall(calls: readonly Call[], { index, id }: Piece): Call | undefined {
  if (typeof index === 'number') return calls.findLast((call) => call.upstreamIndex === index)
  return id === undefined ? calls.at(-1) : calls.findLast((call) => call.upstreamId === id)
}

/** Some servers give every call the same index: then a piece with a name opens the next one. */
function isAnotherCall(call: Call, { id, name }: Piece): boolean {
  if (name === undefined || call.name === undefined) return false
  if (id !== undefined) return id !== call.upstreamId
  return call.upstreamId === undefined || name !== call.name
}
