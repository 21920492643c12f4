import { isObject } from '../convert/is-object.ts'

/** Words of a tool definition and of a schema, as Google's wire takes them: as keys they are not billed. */
const keywords: ReadonlySet<string> = new Set([
  ...['type', 'function', 'name', 'description', 'parameters', 'strict', 'properties', 'required'],
  ...['items', 'enum', 'anyOf', 'oneOf', 'allOf', '$ref', '$defs', 'additionalProperties', 'title'],
  ...['default', 'format', 'propertyOrdering', 'property_ordering', 'any_of'],
])

/** What the keys of an object are: keywords, names of schemas, or anything in the caller's data. */
type Place = 'schema' | 'names' | 'data'

const placeBehind: ReadonlyMap<string, Place> = new Map([
  ...['properties', '$defs'].map((key) => [key, 'names'] as const),
  ...['enum', 'default', 'required'].map((key) => [key, 'data'] as const),
])

/**
 * The texts in tools: names, descriptions, types, the keys of properties, and what is listed or
 * given by default. Iterative, because a schema may be nested deeply.
 */
export function valuesOfTools(tools: readonly unknown[]): readonly string[] {
  const texts: string[] = []
  const left: { readonly value: unknown; readonly place: Place }[] = []
  for (const value of tools) left.push({ value, place: 'schema' })
  for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
    const { value, place } = entry
    if (Array.isArray(value)) for (const item of value) left.push({ value: item, place })
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const isKeyword = place === 'schema' && keywords.has(key)
        if (!isKeyword) texts.push(key)
        if (isKeyword && key === 'type' && member === 'function') continue
        left.push({ value: member, place: placeOf(place, key) })
      }
    } else if (typeof value === 'string' || typeof value === 'number') texts.push(String(value))
  }
  return texts
}

function placeOf(place: Place, key: string): Place {
  if (place === 'schema') return placeBehind.get(key) ?? 'schema'
  return place === 'names' ? 'schema' : 'data'
}
