import { expect, test } from 'vitest'
import { chatRequestSchema, parseWith, requestedMaxTokens } from '../../src/index.ts'

const hello = [{ role: 'user', content: 'hello' }]

test.each([
  [
    'the five fields of the specification',
    { messages: hello, model: 'a/b-c_d.e:f', max_tokens: 128_000, temperature: 2, stream: true },
  ],
  [
    'every role',
    {
      messages: [
        { role: 'system', content: 's' },
        { role: 'developer', content: 'd' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 't' },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', content: 'r', tool_call_id: 'c' },
      ],
    },
  ],
  [
    'tool calls without text and an empty tool result',
    {
      messages: [
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', content: '', tool_call_id: 'c' },
      ],
    },
  ],
  [
    'a message of 100,000 UTF-16 units',
    { messages: [{ role: 'user', content: '😀'.repeat(50_000) }] },
  ],
  ['equal caps', { messages: hello, max_tokens: 5, max_completion_tokens: 5 }],
  [
    'an assistant message as received, with refusal: null',
    { messages: [...hello, { role: 'assistant', content: 'hi', refusal: null }] },
  ],
])('accepts %s', (_, body) => {
  expect(parseWith(chatRequestSchema, body)).toMatchObject({ status: 'valid' })
})

test('null for an optional field means absent', () => {
  const nulls = Object.fromEntries(
    Object.keys(chatRequestSchema.in.shape)
      .filter((name) => name !== 'messages')
      .map((name) => [name, null]),
  )
  const parsed = parseWith(chatRequestSchema, { messages: hello, ...nulls })
  if (parsed.status !== 'valid') throw new Error(parsed.problem.message)
  expect(Object.values(parsed.value).filter((value) => value !== undefined)).toEqual([hello])
  expect(requestedMaxTokens(parsed.value)).toBe(4096)
})

test.each([
  [null, null, 'invalid_field'],
  [[], null, 'invalid_field'],
  [{}, 'messages', 'missing_field'],
  [{ messages: null }, 'messages', 'invalid_field'],
  [{ messages: [] }, 'messages', 'invalid_field'],
  [{ messages: Array.from({ length: 101 }, () => hello[0]) }, 'messages', 'invalid_field'],
  [{ messages: [{ role: 'x', content: 'a' }] }, 'messages[0].role', 'invalid_field'],
  [{ messages: [{ content: 'a' }] }, 'messages[0].role', 'missing_field'],
  [{ messages: [{ role: null, content: 'a' }] }, 'messages[0].role', 'invalid_field'],
  [{ messages: [{ role: 'user' }] }, 'messages[0].content', 'missing_field'],
  [{ messages: [{ role: 'user', content: '' }] }, 'messages[0].content', 'invalid_field'],
  [
    { messages: [{ role: 'user', content: 'a'.repeat(100_001) }] },
    'messages[0].content',
    'invalid_field',
  ],
  [
    { messages: [{ role: 'user', content: '😀'.repeat(50_001) }] },
    'messages[0].content',
    'invalid_field',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'text', text: '😀'.repeat(50_001) }] }] },
    'messages[0].content[0].text',
    'invalid_field',
  ],
  [{ messages: [{ role: 'assistant', content: '' }] }, 'messages[0].content', 'invalid_field'],
  [
    {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'input_audio' }] }],
    },
    'messages[0].content[1].type',
    'invalid_field',
  ],
  [
    {
      messages: [
        { role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://a' } }] },
      ],
    },
    'messages[0].content[0].type',
    'invalid_field',
  ],
  [
    { messages: [{ role: 'user', content: 'a', cache_control: {} }] },
    'messages[0].cache_control',
    'unpriced_field',
  ],
  [{ messages: [{ role: 'assistant', content: null }] }, 'messages[0].content', 'invalid_field'],
  [{ messages: hello, model: 'a b' }, 'model', 'invalid_field'],
  [{ messages: hello, model: 5 }, 'model', 'invalid_field'],
  [{ messages: hello, max_tokens: 0 }, 'max_tokens', 'invalid_field'],
  [{ messages: hello, max_tokens: 128_001 }, 'max_tokens', 'invalid_field'],
  [{ messages: hello, max_tokens: 1.5 }, 'max_tokens', 'invalid_field'],
  [{ messages: hello, max_tokens: '5' }, 'max_tokens', 'invalid_field'],
  [
    { messages: hello, max_tokens: 5, max_completion_tokens: 6 },
    'max_completion_tokens',
    'invalid_field',
  ],
  [{ messages: hello, temperature: -0.1 }, 'temperature', 'invalid_field'],
  [{ messages: hello, temperature: 2.1 }, 'temperature', 'invalid_field'],
  [{ messages: hello, stream: 'true' }, 'stream', 'invalid_field'],
  [{ messages: hello, n: 9 }, 'n', 'invalid_field'],
  [{ messages: hello, n: 1.5 }, 'n', 'invalid_field'],
  [{ messages: hello, top_logprobs: 3 }, 'top_logprobs', 'invalid_field'],
  [{ messages: hello, tool_choice: 'x' }, 'tool_choice', 'invalid_field'],
  [{ messages: hello, response_format: { type: 'x' } }, 'response_format.type', 'invalid_field'],
  [{ messages: hello, service_tier: 'priority' }, 'service_tier', 'unpriced_field'],
  [{ messages: hello, web_search_options: {} }, 'web_search_options', 'unpriced_field'],
  [{ messages: hello, plugins: [{ id: 'web' }] }, 'plugins', 'unpriced_field'],
  [{ messages: hello, constructor: 1 }, 'constructor', 'unknown_field'],
  [{ messages: hello, frobnicate: 1 }, 'frobnicate', 'unknown_field'],
])('%j is rejected, naming %s (%s)', (body, param, code) => {
  const parsed = parseWith(chatRequestSchema, body)
  expect(parsed).toMatchObject({ status: 'invalid', problem: { param, code } })
  if (parsed.status === 'invalid' && param !== null) expect(parsed.problem.message).toContain(param)
})

test.each([
  [{ model: 'a'.repeat(300) }, 'model must have at most 256 characters.'],
  [{ stop: '' }, 'stop must have at least 1 character.'],
  [{ stop: Array.from({ length: 65 }, () => 'a') }, 'stop must have at most 64 items.'],
  [{ store: true }, 'store must be false: completions are not stored.'],
  [{ service_tier: 'priority' }, 'Use "auto" or "default", or remove it.'],
  [{ modalities: ['text', 'audio'] }, 'Use ["text"], or remove it.'],
  [{ provider: { sort: 'price' } }, 'provider.sort must be removed: use order instead.'],
  [{ provider: { data_collection: 'deny' } }, 'provider.data_collection must be "allow": '],
  [{ provider: { max_price: { prompt: 1 } } }, 'provider.max_price.prompt is not a known field.'],
  [{ provider: { only: ['?'] } }, 'provider.only[0] is not the name of a provider.'],
  [{ models: ['a/a', 'a/b', 'a/c', 'a/d'] }, 'models must have at most 3 models.'],
  [
    { reasoning: { effort: 'low' }, reasoning_effort: 'high' },
    'reasoning.effort must equal reasoning_effort if both are given.',
  ],
  [{ top_p: 2 }, 'top_p must be at most 1.'],
  [{ max_tokens: 1e20 }, 'max_tokens must be between 1 and 128000.'],
  [{ max_completion_tokens: -1e20 }, 'max_completion_tokens must be between 1 and 128000.'],
  [{ max_tokens: 1.5 }, 'max_tokens must be a whole number.'],
  [{ n: 1e20 }, 'n must be between 1 and 8.'],
  [{ reasoning: { max_tokens: 1e20 } }, 'reasoning.max_tokens must be between 0 and 128000.'],
  [{ reasoning: { max_tokens: -1 } }, 'reasoning.max_tokens must be between 0 and 128000.'],
  [{ seed: 1e20 }, 'seed must be a whole number of at most 15 digits.'],
  [{ seed: -1e20 }, 'seed must be a whole number of at most 15 digits.'],
  [{ top_k: 1e20 }, 'top_k must be between 0 and 1000.'],
  [{ logit_bias: { a: 1 } }, 'logit_bias.a is not a token id: use 1 to 7 digits.'],
  [{ tool_choice: 5 }, 'tool_choice must be "none" or "auto" or "required" or an object.'],
  [{ tool_choice: 'any' }, 'tool_choice must be "none" or "auto" or "required" or an object.'],
  [{ response_format: {} }, 'response_format.type is required: it must be one of "text", "json'],
  [{ messages: [{}] }, 'messages[0].role is required: it must be one of "system", "user", '],
  [{ messages: [{ role: 'assistant', content: 5 }] }, 'content must be a string or an array.'],
  [{ tools: [{ type: 'web_search' }] }, 'tools[0].type must be "function".'],
  [
    { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
    'tools[0].function.parameters must be an object.',
  ],
])('%j is rejected with: %s', (fields, message) => {
  const parsed = parseWith(chatRequestSchema, { messages: hello, ...fields })
  expect(parsed.status === 'invalid' && parsed.problem.message).toContain(message)
})

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const assistant = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', content: 'r', tool_call_id: 'c' }

test.each([
  ['alone', [result], 0],
  ['before its call', [...hello, result, assistant], 1],
  ['with another call id', [...hello, assistant, { ...result, tool_call_id: 'd' }], 2],
  ['after messages without a call', [...hello, { role: 'assistant', content: 'hi' }, result], 2],
])('a tool message %s is rejected with the fix', (_, messages, index) => {
  expect(parseWith(chatRequestSchema, { messages })).toEqual({
    status: 'invalid',
    problem: {
      code: 'invalid_field',
      param: `messages[${index}].tool_call_id`,
      message: `messages[${index}].tool_call_id does not match an earlier tool call. Put the message with that call first, or remove this one.`,
    },
  })
})

const pictured = (url: string) => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
})

test.each([
  [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
  [{ type: 'document', source: {} }],
  [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
])('a part that holds a file is rejected with what to send instead: %j', (part) => {
  const param = 'messages[0].content[0].type'
  const messages = [{ role: 'user', content: [part] }]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({
    status: 'invalid',
    problem: {
      param,
      message: `${param} must be one of "text", "image_url": files are not read here. Send their text, or images of their pages.`,
    },
  })
})

test('a PDF in the place of an image is rejected with what to send instead', () => {
  expect(parseWith(chatRequestSchema, pictured('data:application/pdf;base64,AAAA'))).toMatchObject({
    problem: { message: expect.stringContaining('Send a PDF as its text, or as images') },
  })
})

test.each([
  ['https://', 'must be an https URL'],
  ['https:///b.png', 'must be an https URL'],
  ['https://a example/b.png', 'must be an https URL'],
  ['data:image/svg+xml;base64,PHN2Zy8+', 'must not be an SVG'],
  ['data:image/png,AAAA', 'must have the image in base64'],
  ['data:image/png;base64', 'must have the image in base64'],
  ['data:image/png;base64,', 'must have the image in base64'],
  ['data:image/png;base64,AA"AA', 'must have the image in base64'],
  ['data:image/png;base64,[object Object]', 'must have the image in base64'],
  ['data:image/png;base64,AA%zz', 'must have the image in base64'],
  ['data:image/png;base64,AA%ff', 'must have the image in base64'],
  [`data:image/png;${'a'.repeat(200)};base64,AAAA`, 'must have the image in base64'],
  [`https://a.example/${'a'.repeat(8_192)}`, 'must be an https URL of at most 8192 characters'],
])('the image %.60s is rejected with the fix', (url, message) => {
  const param = 'messages[0].content[0].image_url.url'
  expect(parseWith(chatRequestSchema, pictured(url))).toMatchObject({
    status: 'invalid',
    problem: { param, message: expect.stringContaining(`${param} ${message}`) },
  })
})

test.each([
  'https://a.example',
  'https://a.example:8443/b c.png?d=e#f',
  'data:image/png;base64,AA+/',
  'data:image/avif;name=a.avif;base64,AA-_\r\nAA==\n',
  'data:image/png;BASE64,AA%2BA',
])('the image %j is left to the providers', (url) => {
  expect(parseWith(chatRequestSchema, pictured(url)).status).toBe('valid')
})

test('an image above 10,000,000 characters must be in plain base64', () => {
  const url = `data:image/png;base64,${'A'.repeat(10_000_000)}`
  expect(parseWith(chatRequestSchema, pictured(url)).status).toBe('valid')
  for (const more of [' ', '%41', '-', '_']) {
    expect(parseWith(chatRequestSchema, pictured(url + more))).toMatchObject({
      problem: { message: expect.stringContaining('in the standard alphabet of base64') },
    })
  }
})

test('several results of several calls are accepted in any order, with other messages between', () => {
  const two = { ...assistant, tool_calls: [call, { ...call, id: 'd' }] }
  const messages = [...hello, two, { ...result, tool_call_id: 'd' }, ...hello, result]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({ status: 'valid' })
})
