import { createHash } from 'node:crypto'
import { isRecord, recordsOf, type WireRecord } from '../wire/wire-reading.ts'

const frame = { type: 'reasoning.text', format: 'unknown', index: 0 } as const

/** A piece of a reasoning step, in OpenRouter's shape. */
export function reasoningPiece(text: string): object {
  return { ...frame, text }
}

/** The signature that ends a step. A real one proves who wrote the text; this one is its hash. */
export function reasoningEnd(text: string): object {
  return { ...frame, signature: signatureOf(text) }
}

/** A complete step: its text and signature. */
export function reasoningStep(text: string): object {
  return { ...frame, text, signature: signatureOf(text) }
}

/**
 * The path of a returned step whose text is not the one that was signed. As with real signatures, a
 * step may be returned without its text.
 */
export function findChangedReasoning(body: WireRecord): string | undefined {
  for (const [position, message] of recordsOf(body['messages']).entries()) {
    const details = recordsOf(message['reasoning_details']).filter(isOurs)
    const text = joined(details, 'text')
    const signature = joined(details, 'signature')
    const isChanged = text !== '' && signature !== '' && signature !== signatureOf(text)
    if (isChanged) return `messages[${position}].reasoning_details`
  }
  return undefined
}

function isOurs(detail: unknown): boolean {
  return isRecord(detail) && detail['type'] === frame.type && detail['format'] === frame.format
}

function joined(details: readonly WireRecord[], key: string): string {
  return details.map((detail) => (typeof detail[key] === 'string' ? detail[key] : '')).join('')
}

function signatureOf(text: string): string {
  return createHash('sha256').update(`sandbox ${text}`).digest('base64url')
}
