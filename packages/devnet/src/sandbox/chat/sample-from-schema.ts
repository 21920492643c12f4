import { isRecord, recordsOf, type WireRecord } from '../wire/wire-reading.ts'

const deepest = 8

/** What a sample may be made of. */
export type SampleOptions = {
  /** The numbers of the user's text, taken in order by properties that are numbers. */
  readonly numbers?: readonly number[]
}

type Sampling = {
  readonly root: unknown
  readonly numbers: number[]
  readonly depth: number
}

/** Returns the smallest value that satisfies the usual parts of a JSON schema. */
export function sampleFromSchema(schema: unknown, { numbers = [] }: SampleOptions = {}): unknown {
  return sample(schema, { root: schema, numbers: [...numbers], depth: 0 })
}

function sample(schema: unknown, sampling: Sampling): unknown {
  const inner = { ...sampling, depth: sampling.depth + 1 }
  if (!isRecord(schema) || sampling.depth > deepest) return {}
  if (typeof schema['$ref'] === 'string') return sample(definition(schema['$ref'], inner), inner)
  if ('const' in schema) return schema['const']
  const choices = schema['enum']
  if (Array.isArray(choices) && choices.length > 0) return Object.values<unknown>(choices)[0]
  const [variant] = recordsOf(schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'])
  if (variant !== undefined) return sample(variant, inner)
  return sampleOfType(schema, inner)
}

function sampleOfType(schema: WireRecord, inner: Sampling): unknown {
  const type = Array.isArray(schema['type'])
    ? Object.values<unknown>(schema['type'])[0]
    : schema['type']
  switch (type) {
    case 'string':
      return sampleText(schema)
    case 'integer':
    case 'number':
      return sampleNumber(schema, inner)
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array':
      return sampleArray(schema, inner)
    default:
      return sampleObject(schema, inner)
  }
}

/** Follows a reference such as `#/$defs/place`. */
function definition(reference: string, { root }: Sampling): unknown {
  let value: unknown = root
  for (const step of reference.replace(/^#\/?/, '').split('/')) {
    if (step === '') continue
    value = isRecord(value) ? value[step] : undefined
  }
  return value
}

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  time: '12:00:00Z',
  'date-time': '2026-01-01T12:00:00Z',
  email: 'sandbox@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function sampleText({ format, minLength, maxLength }: WireRecord): string {
  const text = (typeof format === 'string' ? texts[format] : undefined) ?? 'sandbox'
  const padded = typeof minLength === 'number' ? text.padEnd(Math.min(minLength, 1000), '.') : text
  return typeof maxLength === 'number' ? padded.slice(0, maxLength) : padded
}

function sampleNumber({ type, minimum, maximum }: WireRecord, { numbers }: Sampling): number {
  const min = typeof minimum === 'number' ? minimum : -Infinity
  const max = typeof maximum === 'number' ? maximum : Infinity
  const [given] = numbers
  const fits =
    given !== undefined &&
    given >= min &&
    given <= max &&
    (type !== 'integer' || Number.isInteger(given))
  if (fits) return numbers.shift() ?? 0
  return Number.isFinite(min) ? min : Math.min(0, max)
}

function sampleArray(schema: WireRecord, inner: Sampling): unknown[] {
  const min = schema['minItems']
  const length = typeof min === 'number' ? Math.min(min, 16) : 0
  return Array.from({ length }, () => sample(schema['items'], inner))
}

function sampleObject(schema: WireRecord, inner: Sampling): object {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const names = required.filter((name) => typeof name === 'string')
  return Object.fromEntries(names.map((name) => [name, sample(properties[name], inner)]))
}
