/** An object of a schema, and what it lacks to be strict. */
export type LooseObject = { readonly path: string; readonly lack: string }

/** Whether a strict object must require every property. */
export type StrictRule = 'all required' | 'any required'

type Schema = Readonly<Record<string, unknown>>

/** The first object of a schema, outer ones first, that is not strict. */
export function findLooseObject(
  schema: unknown,
  rule: StrictRule,
  path = '',
): LooseObject | undefined {
  if (!isSchema(schema)) return undefined
  const lack = isObjectType(schema['type']) ? lackOf(schema, rule) : undefined
  if (lack !== undefined) return { path, lack }
  for (const [key, inner] of innerSchemas(schema)) {
    const found = findLooseObject(inner, rule, `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isObjectType(type: unknown): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

function lackOf(schema: Schema, rule: StrictRule): string | undefined {
  if (schema['additionalProperties'] !== false) return 'additionalProperties: false'
  const { properties, required } = schema
  if (rule === 'any required' || !isSchema(properties)) return undefined
  const names = new Set<unknown>(Array.isArray(required) ? required : [])
  const optional = Object.keys(properties).find((name) => !names.has(name))
  return optional === undefined ? undefined : `${JSON.stringify(optional)} in required`
}

function innerSchemas(schema: Schema): readonly (readonly [string, unknown])[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((key) => {
    const inner = schema[key]
    return isSchema(inner) ? entriesOf(key, inner) : []
  })
  const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) => {
    const inner = schema[key]
    return Array.isArray(inner) ? entriesOf(key, inner) : []
  })
  return [...named, ...listed, ['items', schema['items']]]
}

function entriesOf(key: string, inner: object): readonly (readonly [string, unknown])[] {
  return Object.entries(inner).map(([name, value]) => [`${key}.${name}`, value] as const)
}
