import type { ChatUsage, FinishReason } from '@farebox/api'
import {
  type AnswerPiece,
  type Citation,
  isSameStep,
  joinStep,
  stepText,
} from '../wire/answer-pieces.ts'
import { pictureText } from '../wire/picture.ts'
import { type ReasoningDetail, reasoningToken } from '../wire/reasoning-token.ts'
import { callInput } from './call-input.ts'

/** A block of the answer while it is being written. */
export type OpenBlock =
  | { readonly kind: 'reasoning'; readonly detail: ReasoningDetail }
  | {
      readonly kind: 'text'
      readonly text: string
      /** Added to in place: an answer may have a hundred thousand. */
      readonly citations: Citation[]
    }
  | { readonly kind: 'picture'; readonly url: string }
  | {
      readonly kind: 'call'
      readonly index: number
      readonly id: string
      readonly name: string
      readonly args: string
    }

/** A refusal is text here; the stop reason tells the two apart. */
export function openBlock(piece: AnswerPiece): OpenBlock {
  switch (piece.kind) {
    case 'reasoning':
      return { kind: 'reasoning', detail: piece.detail }
    case 'text':
    case 'refusal':
      return { kind: 'text', text: piece.text, citations: [] }
    case 'citation':
      return { kind: 'text', text: '', citations: [piece.citation] }
    case 'picture':
      return { kind: 'picture', url: piece.url }
    case 'call': {
      const { index, id, name, args } = piece
      return { kind: 'call', index, id: id ?? '', name: name ?? '', args }
    }
  }
}

/** The open block with the piece added to it; `undefined` when the piece begins another. */
export function continueBlock(
  open: OpenBlock | undefined,
  piece: AnswerPiece,
): OpenBlock | undefined {
  if (open === undefined) return undefined
  switch (piece.kind) {
    case 'reasoning':
      return open.kind === 'reasoning' && isSameStep(open.detail, piece.detail)
        ? { ...open, detail: joinStep(open.detail, piece.detail) }
        : undefined
    case 'text':
    case 'refusal':
      return open.kind === 'text' ? { ...open, text: open.text + piece.text } : undefined
    case 'citation':
      if (open.kind !== 'text') return undefined
      open.citations.push(piece.citation)
      return open
    case 'picture':
      return undefined
    case 'call':
      return open.kind === 'call' && open.index === piece.index
        ? { ...open, args: open.args + piece.args }
        : undefined
  }
}

/**
 * An encrypted step has no text to show: it is sent as redacted thinking, which clients send back.
 */
export function isRedacted({ type }: ReasoningDetail): boolean {
  return type === 'reasoning.encrypted'
}

/** A finished block. */
export function messageBlock(block: OpenBlock): object {
  switch (block.kind) {
    case 'text':
      return {
        type: 'text',
        text: block.text,
        ...(block.citations.length > 0 && { citations: block.citations.map(blockCitation) }),
      }
    case 'picture':
      return { type: 'text', text: pictureText(block.url) }
    case 'call':
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: callInput(block.args) ?? {},
      }
    case 'reasoning': {
      const thinking = stepText(block.detail)
      const token = reasoningToken(block.detail)
      if (isRedacted(block.detail)) return { type: 'redacted_thinking', data: token }
      return { type: 'thinking', thinking, signature: token }
    }
  }
}

/** A source as the search of Claude cites it; the words of the source are not known here. */
export function blockCitation({ url, title }: Citation): object {
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' }
}

/**
 * Cached tokens are reported apart from the input here, not as part of it. How many tokens a model thought
 * is not known where the tokens are counted here.
 */
export function messageUsage(usage: ChatUsage | undefined): object {
  const details = usage?.prompt_tokens_details
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } = details ?? {}
  const thought = usage?.completion_tokens_details?.reasoning_tokens
  const isKnown = thought !== undefined || usage?.source !== 'counted'
  return {
    input_tokens: Math.max(0, (usage?.prompt_tokens ?? 0) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage?.completion_tokens ?? 0,
    output_tokens_details: isKnown ? { thinking_tokens: thought ?? 0 } : null,
    service_tier: 'standard',
  }
}

/** How an answer ended, and whether it refused or called a tool. */
export type AnswerEnd = {
  readonly reason: FinishReason | null
  readonly refused: boolean
  readonly called: boolean
  readonly stopSequence: string | undefined
}

/** A provider may end a forced call with `stop`, and clients go by `tool_use`. */
export function stopReason(end: AnswerEnd): string {
  if (end.refused) return 'refusal'
  switch (end.reason) {
    case 'length':
      return 'max_tokens'
    case 'tool_calls':
      return 'tool_use'
    case 'content_filter':
      return 'refusal'
    default:
      if (end.called) return 'tool_use'
      return end.stopSequence === undefined ? 'end_turn' : 'stop_sequence'
  }
}
