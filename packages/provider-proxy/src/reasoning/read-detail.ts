import { isRecord, type JsonRecord, textAt } from '../wire/json-reading.ts'
import type { ReasoningDetail } from './reasoning-detail.ts'

/** A detail from JSON, with the fields that the next request needs; undefined for an empty one. */
export function readDetail(given: unknown, position: number): ReasoningDetail | undefined {
  if (!isRecord(given)) return undefined
  const type = textAt(given, 'type')
  const content = textFields(given, ['text', 'summary', 'data', 'signature'])
  if (type === undefined || Object.keys(content).length === 0) return undefined
  const { index } = given
  return {
    type,
    ...textFields(given, ['format', 'id']),
    index: typeof index === 'number' ? index : position,
    ...content,
  }
}

function textFields(
  given: JsonRecord,
  keys: readonly string[],
): { readonly [key: string]: string } {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = textAt(given, key)
      return text === undefined ? [] : [[key, text]]
    }),
  )
}
