import type { z } from 'zod'

type Written = { readonly jsonSchema: z.core.JSONSchema.BaseSchema }

/** Names one of several shapes by its role or type, where a reader of the document would see "object". */
export function nameVariant({ jsonSchema }: Written): void {
  const { role, type } = jsonSchema.properties ?? {}
  const title = constantOf(role) ?? constantOf(type)
  if (title !== undefined) jsonSchema.title ??= title
}

function constantOf(schema: z.core.JSONSchema._JSONSchema | undefined): string | undefined {
  if (typeof schema !== 'object' || typeof schema.const !== 'string') return undefined
  return schema.const
}
