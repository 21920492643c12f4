import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import {
  chatRequestSchema,
  imageEstimateRequestSchema,
  imageRequestSchema,
  openApiDocument,
} from '../../src/index.ts'
import { chatExample, imageExample } from '../../src/open-api/examples.ts'

const document = openApiDocument({
  serverUrl: 'https://farebox.example',
  version: '1.2.3',
  endpoints: 'all',
})
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function published(path: string) {
  const { schema } = Object(document['paths'])[path].post.requestBody.content['application/json']
  return { isValid: ajv.compile(schema), fields: Object.keys(schema.properties) }
}

const requests: readonly (readonly [string, z.ZodType, object])[] = [
  ['/v1/chat/completions', chatRequestSchema, chatExample],
  ['/v1/estimate', chatRequestSchema, chatExample],
  ['/v1/images/generate', imageRequestSchema, imageExample],
  ['/v1/images/estimate', imageEstimateRequestSchema, imageExample],
]

test.each(requests)('%s: the document accepts null where the schema does', (path, schema, body) => {
  const { isValid, fields } = published(path)
  const nulled = fields.map((field) => [field, { ...body, [field]: null }] as const)
  const accepted = nulled.filter(([, request]) => schema.safeParse(request).success)
  expect(accepted.length).toBeGreaterThan(6)
  expect(nulled.filter(([, request]) => isValid(request))).toEqual(accepted)
})

const chat = published('/v1/chat/completions')

test.each([
  { tools: [] },
  { stop: [] },
  { models: [] },
  { modalities: ['text'] },
  { tools: [{ type: 'function', function: { name: 'f', description: null, parameters: null } }] },
  { reasoning: { effort: null, max_tokens: null } },
  { messages: [{ role: 'user', content: 'Hello', name: null }] },
  {
    messages: [
      { role: 'assistant', content: null, refusal: null, tool_calls: [], reasoning: 'x' },
      { role: 'user', content: 'Hello' },
    ],
  },
])('the document accepts %j as the schema does', (fields) => {
  const body = { ...chatExample, ...fields }
  expect(chatRequestSchema.safeParse(body).error).toBeUndefined()
  expect(chat.isValid(body)).toBe(true)
})

test.each([
  { messages: null },
  { messages: [] },
  { max_tokens: 0 },
  { n: 9 },
  { frobnicate: 1 },
  { tools: {} },
  { stop: [''] },
])('the document refuses %j as the schema does', (fields) => {
  const body = { ...chatExample, ...fields }
  expect(chatRequestSchema.safeParse(body).success).toBe(false)
  expect(chat.isValid(body)).toBe(false)
})

test('a default and the limits are next to the types of their field', () => {
  const { schema } = Object(document['paths'])['/v1/chat/completions'].post.requestBody.content[
    'application/json'
  ]
  expect(schema.properties.n).toMatchObject({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 8,
    default: 1,
  })
})
