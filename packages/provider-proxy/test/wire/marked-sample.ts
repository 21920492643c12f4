import { isRecord } from '../../src/wire/json-reading.ts'

type Schema = Readonly<Record<string, unknown>>

/** Values that fit a JSON Schema, with a unique marker in every string whose text is free. */
export type MarkedSample = { readonly values: readonly unknown[]; readonly markers: Markers }

/** The path in the schema of each marker. */
export type Markers = ReadonlyMap<string, string>

/** Enough values that each alternative of each union occurs in one of them. */
export function markedSamples(schema: Schema): MarkedSample {
  const markers = new Map<string, string>()
  const mark = (path: string): string => {
    const marker = `mk${markers.size + 1}e`
    markers.set(marker, path)
    return marker
  }
  return { values: valuesOf(schema, '', mark), markers }
}

type Mark = (path: string) => string

function valuesOf(schema: Schema, path: string, mark: Mark): readonly unknown[] {
  const alternatives = listAt(schema, 'anyOf') ?? listAt(schema, 'oneOf')
  if (alternatives !== undefined) {
    const values = alternatives.flatMap((one) => valuesOf(one, path, mark))
    const given = values.filter((value) => value !== null)
    return given.length > 0 ? given : values
  }
  if ('const' in schema) return [schema['const']]
  const choices = schema['enum']
  if (Array.isArray(choices)) return choices.slice(0, 1)
  switch (typeOf(schema)) {
    case 'string':
      return [(String(schema['pattern']).includes('https:') ? 'https://' : '') + mark(path)]
    case 'integer':
    case 'number':
      return [Math.max(0, Number(schema['minimum'] ?? 0))]
    case 'boolean':
      return [true]
    case 'null':
      return [null]
    case 'array':
      return arraysOf(schema, path, mark)
    case 'object':
      return objectsOf(schema, path, mark)
    default:
      return [mark(path)]
  }
}

/** Of a value that may be null too, the type of the others. */
function typeOf({ type }: Schema): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type
}

function arraysOf(schema: Schema, path: string, mark: Mark): readonly unknown[] {
  if (schema['maxItems'] === 0) return [[]]
  const items = valuesOf(recordAt(schema, 'items') ?? {}, `${path}[]`, mark)
  return Number(schema['maxItems'] ?? items.length) < items.length ? [items.slice(0, 1)] : [items]
}

/** The i-th object takes the i-th alternative of each property, or its last. */
function objectsOf(schema: Schema, path: string, mark: Mark): readonly unknown[] {
  const properties = Object.entries(recordAt(schema, 'properties') ?? {}).map(
    ([name, inner]) =>
      [name, valuesOf(isRecord(inner) ? inner : {}, `${path}.${name}`, mark)] as const,
  )
  const extra = recordAt(schema, 'additionalProperties')
  const count = Math.max(1, ...properties.map(([, values]) => values.length))
  return Array.from({ length: count }, (_, index) => ({
    ...Object.fromEntries(properties.map(([name, values]) => [name, values[index] ?? values[0]])),
    ...(extra !== undefined && extraOf(extra, path, mark)),
  }))
}

function extraOf(extra: Schema, path: string, mark: Mark): object {
  if (extra['type'] === 'number') return { 1: 0 }
  return { [mark(`${path}.(key)`)]: valuesOf(extra, `${path}.(value)`, mark)[0] }
}

function recordAt(schema: Schema, key: string): Schema | undefined {
  const value = schema[key]
  return isRecord(value) ? value : undefined
}

function listAt(schema: Schema, key: string): readonly Schema[] | undefined {
  const value = schema[key]
  return Array.isArray(value) ? value : undefined
}
