import { openApiDocument } from '@farebox/api'
import {
  countTokensWire,
  messagesWire,
  readImageGeneration,
  responsesWire,
  wireRequestSchemas,
} from '@farebox/wires'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'

const { paths } = openApiDocument({
  serverUrl: 'https://farebox.example',
  version: '1.2.3',
  endpoints: 'all',
  wireRequests: wireRequestSchemas,
})
const ajv = new Ajv2020({ strict: false, validateFormats: false })

type Body = Readonly<Record<string, unknown>>
type Interface = {
  readonly path: string
  readonly reads: (body: Body) => boolean
  readonly simplest: Body
  readonly taken: readonly Body[]
  readonly refused: readonly Body[]
}

const user = { role: 'user', content: 'Hello' }
const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: '{}' }

const responses: Interface = {
  path: '/v1/responses',
  reads: (body) => responsesWire.read(body).status === 'translated',
  simplest: { input: 'Hello' },
  taken: [
    { input: [user, thought, call, { type: 'function_call_output', call_id: 'a', output: 'x' }] },
    { tools: [{ type: 'function', name: 'f', parameters: {}, strict: null }], tool_choice: 'auto' },
    { text: { format: { type: 'json_schema', name: 'a', schema: {} } }, store: false },
    { context_management: [], conversation: null },
  ],
  refused: [
    { input: null },
    { input: [] },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
    { previous_response_id: 'resp_1' },
    { store: true },
    { tools: [{ type: 'web_search' }] },
    { context_management: [{ type: 'compaction' }] },
    { frobnicate: 1 },
  ],
}

const conversation = [
  user,
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
]

const counted: Interface = {
  path: '/v1/messages/count_tokens',
  reads: (body) => countTokensWire.read(body).status === 'translated',
  simplest: { model: 'acme/thinker', messages: [user] },
  taken: [
    { messages: conversation },
    { system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] },
    { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'any' } },
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
  ],
  refused: [
    { messages: null },
    { messages: [] },
    { messages: [{ role: 'user', content: [{ type: 'document' }] }] },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { frobnicate: 1 },
  ],
}

const messages: Interface = {
  path: '/v1/messages',
  reads: (body) => messagesWire.read(body).status === 'translated',
  simplest: { ...counted.simplest, max_tokens: 100 },
  taken: [...counted.taken, { mcp_servers: [], top_k: -1, stop_sequences: ['END'] }],
  refused: [...counted.refused, { max_tokens: null }, { mcp_servers: [{}] }, { speed: 'fast' }],
}

const images: Interface = {
  path: '/v1/images/generations',
  reads: (body) => readImageGeneration(body).status === 'translated',
  simplest: { prompt: 'A fare box' },
  taken: [
    { size: '1024x1024', n: 2 },
    { size: 'auto', response_format: 'b64_json' },
    { model: 'gpt-image-1', quality: 'high' },
  ],
  refused: [
    { prompt: null },
    { size: 'large' },
    { quality: 'low' },
    { output_compression: 5 },
    { frobnicate: 1 },
  ],
}

describe.each([responses, messages, counted, images])('the document of $path', (given) => {
  const { path, reads, simplest, taken, refused } = given
  const { schema, example } = Object(paths)[path].post.requestBody.content['application/json']
  const isValid = ajv.compile(schema)

  test('has the fields, and null where it is accepted', () => {
    const fields = Object.keys(schema.properties)
    const nulled = fields.map((field) => ({ ...simplest, [field]: null }))
    expect(nulled.filter((body) => isValid(body))).toEqual(nulled.filter(reads))
    expect(nulled.filter(reads).length).toBeGreaterThan(5)
  })

  test('accepts what is read, its own example included', () => {
    for (const body of [
      simplest,
      example,
      ...taken.map((fields) => ({ ...simplest, ...fields })),
    ]) {
      expect([body, reads(body), isValid(body)]).toEqual([body, true, true])
    }
  })

  test('refuses what is refused', () => {
    for (const fields of refused) {
      const body = { ...simplest, ...fields }
      expect([body, reads(body), isValid(body)]).toEqual([body, false, false])
    }
  })

  test('describes the model, and the prompt of an image', () => {
    const { model, prompt = model } = schema.properties
    expect([model.description, prompt.description]).toEqual([
      expect.any(String),
      expect.any(String),
    ])
  })
})
