import { isObject } from '../convert/is-object.ts'
import type { FormatFraming } from '../counter/framing.ts'
import { jsonOf } from './json-of.ts'
import { valuesOfTools } from './values-of-tools.ts'

/** A response format as a text, and the caller's own text separately, for the upper bound. */
export type RenderedFormat = { readonly text: string; readonly rest: string }

/** UTF-16 units of a schema whose values are collected; a larger one stays JSON. */
const renderedUnits = 128 << 10

/**
 * Renders a response format as a family is known to bill it; `undefined` where none is asked for.
 * Only its schema is sent to Anthropic and Google, not its name and description.
 */
export function renderFormat(
  format: unknown,
  writtenAs: FormatFraming['writtenAs'],
): RenderedFormat | undefined {
  const json = jsonOf(format ?? undefined)
  if (json === '' || json === '{"type":"text"}') return undefined
  const { schema, description } = partsOf(format)
  if (writtenAs === 'json') return { text: json, rest: '' }
  const rest = typeof description === 'string' ? description : ''
  if (writtenAs === 'schema') return { text: schema === undefined ? json : jsonOf(schema), rest }
  if (!isOfGoogle(schema)) return { text: '', rest: '' }
  const isLarge = json.length > renderedUnits
  return { text: isLarge ? json : valuesOfTools([schema]).join(' '), rest: '' }
}

function partsOf(format: unknown): Readonly<Record<string, unknown>> {
  return isObject(format) && isObject(format['json_schema']) ? format['json_schema'] : {}
}

/**
 * Whether a schema has the form of `responseSchema`, as Google's SDKs send it: its types are in
 * capitals. JSON Schema, as `responseJsonSchema`, has them in small letters.
 */
function isOfGoogle(schema: unknown): boolean {
  const type = isObject(schema) ? schema['type'] : undefined
  return typeof type === 'string' && type === type.toUpperCase()
}
