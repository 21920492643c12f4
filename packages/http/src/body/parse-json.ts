import { findJsonFault, type JsonFault } from './json-fault.ts'

/** A value, or `undefined` for bytes that are not JSON in UTF-8. */
export type ParsedJson = { readonly value: unknown } | undefined

/** Parses the JSON in these blocks. */
export function parseJson(blocks: readonly Uint8Array[]): ParsedJson {
  try {
    return { value: JSON.parse(textIn(blocks)) }
  } catch {
    return undefined
  }
}

/** Where the blocks stop being JSON; undefined for bytes that are not UTF-8. */
export function faultOf(blocks: readonly Uint8Array[]): JsonFault | undefined {
  try {
    return findJsonFault(textIn(blocks))
  } catch {
    return undefined
  }
}

/** Keeps nothing between calls that are not streaming. */
const wholeText = new TextDecoder('utf-8', { fatal: true })

function textIn(blocks: readonly Uint8Array[]): string {
  const [first, ...others] = blocks
  if (others.length === 0) return wholeText.decode(first)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parts = blocks.map((block) => decoder.decode(block, { stream: true }))
  return parts.join('') + decoder.decode()
}
