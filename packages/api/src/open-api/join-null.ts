import type { z } from 'zod'

type Written = { readonly jsonSchema: z.core.JSONSchema.BaseSchema }

/**
 * Writes a value or null as one schema with two types, which keeps the default and the limits where
 * readers of the document look for them. An `enum` or `const` stays next to the null.
 */
export function joinNull({ jsonSchema }: Written): void {
  const [value, absent, ...others] = jsonSchema.anyOf ?? []
  if (absent?.type !== 'null' || others.length > 0) return
  if (typeof value?.type !== 'string' || 'enum' in value || 'const' in value) return
  delete jsonSchema.anyOf
  Object.assign(jsonSchema, { ...value, ...jsonSchema, type: [value.type, 'null'] })
}
