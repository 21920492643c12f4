import type { Recording } from './recording.ts'

export type Json = { readonly [key: string]: unknown }

/** Whether a value is a JSON object. */
function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON objects of a recording in their order: its events, or its one body. */
export function jsonEvents({ kind, body }: Recording): readonly Json[] {
  const texts = kind === 'sse' ? eventData(body) : [body]
  const values = texts
    .filter((text) => text !== '' && text !== '[DONE]')
    .flatMap((text): unknown => JSON.parse(text))
  if (values.every(isJson)) return values
  throw new Error('A recording holds something other than JSON objects')
}

/** The data of each event that ends with a blank line. */
function eventData(text: string): readonly string[] {
  const blocks = text.split(/\r\n\r\n|\n\n|\r\r/)
  return blocks.slice(0, -1).map((block) =>
    block
      .split(/\r\n|\n|\r/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).replace(/^ /, ''))
      .join('\n'),
  )
}

/** The object under a key, or an empty one. */
export function at(json: Json, key: string): Json {
  const value = json[key]
  return isJson(value) ? value : {}
}

/** The objects in the array under a key. */
export function listAt(json: Json, key: string): readonly Json[] {
  const value = json[key]
  return Array.isArray(value) ? value.filter(isJson) : []
}

/** The text under a key, or an empty one. */
export function text(json: Json, key: string): string {
  const value = json[key]
  return typeof value === 'string' ? value : ''
}

/** The first number under any of the keys. */
export function number(json: Json, ...keys: readonly string[]): number | undefined {
  return keys.map((key) => json[key]).find((value) => typeof value === 'number')
}
