type Json = Readonly<Record<string, unknown>>

/** A JSON schema's type and limits in a few words: `integer, 1 to 128000, 4096 by default`. */
export function describeType(schema: Json): string {
  const byDefault = schema['default']
  return [
    kindOf(schema),
    rangeOf(schema),
    schema['multipleOf'] === undefined ? '' : `divisible by ${text(schema['multipleOf'])}`,
    byDefault === undefined ? '' : `${text(byDefault)} by default`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function kindOf(schema: Json): string {
  const { enum: values, type, anyOf, oneOf } = schema
  if (Array.isArray(values)) return values.map(String).join(' | ')
  if (Array.isArray(anyOf) || Array.isArray(oneOf)) return 'one of several shapes'
  return typeof type === 'string' ? type : 'any value'
}

function rangeOf(schema: Json): string {
  if (schema['type'] === 'string')
    return span(schema['minLength'], schema['maxLength'], ' characters')
  if (schema['type'] === 'array') return span(schema['minItems'], schema['maxItems'], ' items')
  return span(safe(schema['minimum']), safe(schema['maximum']), '')
}

/** The bounds of safe integers are JavaScript's, not limits of the field. */
function safe(bound: unknown): unknown {
  return typeof bound === 'number' && Math.abs(bound) === Number.MAX_SAFE_INTEGER
    ? undefined
    : bound
}

function span(min: unknown, max: unknown, unit: string): string {
  if (min === undefined && max === undefined) return ''
  if (max === undefined) return `from ${text(min)}${unit}`
  return min === undefined ? `at most ${text(max)}${unit}` : `${text(min)} to ${text(max)}${unit}`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
