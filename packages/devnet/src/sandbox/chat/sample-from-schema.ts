import { isRecord, recordsOf, type WireRecord } from '../wire/wire-reading.ts'

const deepest = 8

/** Returns the smallest value that satisfies the simple parts of a JSON schema. */
export function sampleFromSchema(schema: unknown, depth = 0): unknown {
  if (!isRecord(schema) || depth > deepest) return {}
  if ('const' in schema) return schema['const']
  const choices = schema['enum']
  if (Array.isArray(choices) && choices.length > 0) return Object.values<unknown>(choices)[0]
  const [variant] = recordsOf(schema['anyOf'] ?? schema['oneOf'])
  if (variant !== undefined) return sampleFromSchema(variant, depth + 1)
  const type = Array.isArray(schema['type'])
    ? Object.values<unknown>(schema['type'])[0]
    : schema['type']
  switch (type) {
    case 'string':
      return 'sandbox'
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array':
      return sampleArray(schema, depth)
    default:
      return sampleObject(schema, depth)
  }
}

function sampleArray(schema: WireRecord, depth: number): unknown[] {
  const least = schema['minItems']
  const length = typeof least === 'number' ? Math.min(least, 16) : 0
  return Array.from({ length }, () => sampleFromSchema(schema['items'], depth + 1))
}

function sampleObject(schema: WireRecord, depth: number): object {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const names = required.filter((name) => typeof name === 'string')
  return Object.fromEntries(
    names.map((name) => [name, sampleFromSchema(properties[name], depth + 1)]),
  )
}
