import type { ChatRequest } from '@farebox/api'

type Format = Extract<ChatRequest['response_format'], { readonly type: 'json_schema' }>

/**
 * The schema of a response format. Claude and Gemini have no field for the format's own description,
 * so it goes before that of the schema.
 */
export function describedSchema({
  json_schema: { schema, description },
}: Format): Format['json_schema']['schema'] {
  if (schema === undefined || !description) return schema
  const { description: own } = schema
  const both = typeof own === 'string' ? `${description}\n\n${own}` : description
  return { ...schema, description: both }
}
