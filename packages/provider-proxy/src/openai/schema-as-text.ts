import type { ChatRequest } from '@farebox/api'

/** Replaces a JSON schema for a provider that supports only JSON mode. */
export type SchemaAsText = {
  readonly response_format: { readonly type: 'json_object' }
  readonly message: { readonly role: 'system'; readonly content: string }
}

/**
 * A JSON schema as JSON mode and an instruction, as the AI SDK sends it to DeepSeek. The
 * instruction is shorter than the `response_format` that it replaces, which is part of the input
 * count.
 */
export function schemaAsText({ response_format: format }: ChatRequest): SchemaAsText | undefined {
  if (format?.type !== 'json_schema') return undefined
  const { schema, description } = format.json_schema
  const meaning = description === undefined ? '' : ` (${description})`
  const shape = schema === undefined ? '' : ` of this schema${meaning}: ${JSON.stringify(schema)}`
  return {
    response_format: { type: 'json_object' },
    message: { role: 'system', content: `Answer with JSON${shape}` },
  }
}
