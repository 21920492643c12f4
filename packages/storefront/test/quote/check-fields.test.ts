import { chatRequestSchema } from '@farebox/api'
import { createCatalog, shippedData } from '@farebox/catalogs'
import { expect, test } from 'vitest'
import { checkFields, withoutNeutralFields } from '../../src/quote/check-fields.ts'

const catalog = createCatalog({ ...shippedData, now: Date.UTC(2026, 10, 22) })
const closed = { type: 'object', additionalProperties: false }
const schema = { type: 'json_schema', json_schema: { name: 's', schema: closed } }
const loose = { type: 'object', properties: { a: closed, b: { type: 'object' } } }
const looseFormat = (strict: boolean) => ({
  type: 'json_schema',
  json_schema: { name: 's', schema: { ...loose, additionalProperties: false }, strict },
})
const looseTool = (strict: boolean) => ({
  type: 'function',
  function: { name: 'f', parameters: loose, strict },
})
const inFormat = 'response_format.json_schema.schema'
const inTool = 'tools[0].function.parameters'
const toolNamed = (name: string) => ({ type: 'function', function: { name } })
const manyTools = (length: number) => Array.from({ length }, (_, index) => toolNamed(`f${index}`))
const tools = [toolNamed('f')]
const begun = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: 'So' },
]
const said = (content: unknown) => [{ role: 'user', content }]
const parts = (...texts: readonly string[]) => texts.map((text) => ({ type: 'text', text }))
const blank = { role: 'assistant', content: '\n\n' }
const words = { type: 'json_schema', json_schema: { name: 's' } }

test.each([
  ['anthropic/claude-opus-5.5', { response_format: schema }, undefined],
  ['anthropic/claude-sonnet-4.5', { response_format: schema }, undefined],
  ['anthropic/claude-opus-4.1', { response_format: schema }, 'response_format'],
  ['anthropic/claude-opus-5.5', { response_format: { type: 'text' } }, undefined],
  ['anthropic/claude-opus-5.5', { response_format: { type: 'json_object' } }, 'response_format'],
  ['anthropic/claude-opus-5.5', { response_format: words }, 'response_format'],
  ['google/gemini-3.5-flash', { response_format: { type: 'json_object' } }, undefined],
  ['anthropic/claude-opus-4.5', { reasoning_effort: 'low' }, undefined],
  ['anthropic/claude-sonnet-4.5', { reasoning_effort: 'low' }, 'reasoning_effort'],
  ['google/gemini-2.5-flash', { reasoning_effort: 'low' }, undefined],
  ['anthropic/claude-opus-5.5', { reasoning_effort: 'none' }, 'reasoning_effort'],
  ['anthropic/claude-opus-5', { reasoning_effort: 'none' }, undefined],
  ['anthropic/claude-sonnet-5.5', { reasoning_effort: 'none' }, undefined],
  ['anthropic/claude-sonnet-5.5', { tools, tool_choice: 'required' }, 'tool_choice'],
  ['anthropic/claude-haiku-5.5', { tools, tool_choice: 'required' }, undefined],
  ['anthropic/claude-opus-5.5', { tools, tool_choice: 'required' }, 'tool_choice'],
  ['anthropic/claude-fable-5.1', { tools, tool_choice: 'required' }, 'tool_choice'],
  ['anthropic/claude-fable-5', { tools, tool_choice: 'required' }, undefined],
  ['anthropic/claude-opus-5.5', { tools, tool_choice: 'none' }, undefined],
  ['anthropic/claude-opus-5', { tools, tool_choice: 'required' }, undefined],
  ['anthropic/claude-opus-5', { messages: begun }, 'messages[1]'],
  ['anthropic/claude-opus-4.5', { messages: begun }, undefined],
  ['anthropic/claude-opus-5', { messages: said(' \n') }, 'messages[0].content'],
  ['anthropic/claude-opus-5', { messages: said(parts('a', '\t')) }, 'messages[0].content[1].text'],
  ['anthropic/claude-opus-5', { messages: [...begun, ...said('a')] }, undefined],
  ['anthropic/claude-opus-5', { messages: [begun[0], blank, ...said('a')] }, undefined],
  ['openai/gpt-5.5', { messages: said(' ') }, undefined],
  ['openai/gpt-5.5', { tools: manyTools(128) }, undefined],
  ['openai/gpt-5.5', { tools: manyTools(129) }, 'tools'],
  ['anthropic/claude-opus-5', { tools: [...tools, ...tools] }, 'tools[1].function.name'],
  ['google/gemini-3.5-flash', { tools: [...tools, ...tools] }, 'tools[1].function.name'],
  ['openai/gpt-5.5', { tools: [...tools, ...tools] }, undefined],
  ['google/gemini-3.5-flash', { tools: manyTools(512) }, undefined],
  ['google/gemini-3.5-flash', { tools: manyTools(513) }, 'tools'],
  ['anthropic/claude-opus-5', { tools: manyTools(1024) }, undefined],
  ['openai/gpt-5.5', { tools: [looseTool(true)] }, inTool],
  ['openai/gpt-5.5', { tools: [looseTool(false)] }, undefined],
  ['openai/gpt-5.5', { response_format: looseFormat(true) }, inFormat],
  ['openai/gpt-5.5', { response_format: looseFormat(false) }, undefined],
  ['openai/gpt-oss-120b', { tools: [looseTool(true)] }, undefined],
  ['anthropic/claude-opus-5', { tools: [looseTool(true)] }, inTool],
  ['anthropic/claude-opus-5', { tools: [looseTool(false)] }, undefined],
  ['anthropic/claude-opus-5', { response_format: looseFormat(false) }, `${inFormat}.properties.b`],
  ['google/gemini-3.5-flash', { tools: [looseTool(true)] }, undefined],
  ['google/gemini-3.5-flash', { response_format: looseFormat(true) }, undefined],
  ['openai/gpt-5.5', { tools: [toolNamed('a'.repeat(65))] }, 'tools[0].function.name'],
  ['anthropic/claude-opus-5', { tools: [toolNamed('a'.repeat(128))] }, undefined],
])('%s with %.200j: %s is rejected', (id, fields, param) => {
  const model = catalog.findChatModel(id)
  if (model === undefined) throw new Error(`${id} is not in the catalog`)
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, ...fields })
  expect(checkFields(request, model)?.param).toBe(param)
})

test.each([
  ['https://a.example/b.png', 'must be a data: URL', 'Send the image itself'],
  ['data:image/gif;base64,AAAA', 'must be a PNG, JPEG or WebP image', 'Convert it'],
])('the image %s, which no provider takes, is refused with the fix', (url, lack, fix) => {
  const model = catalog.findChatModel('google/gemini-3.5-flash')
  if (model === undefined) throw new Error('gemini-3.5-flash is not in the catalog')
  const param = 'messages[0].content[0].image_url.url'
  const content = [{ type: 'image_url', image_url: { url } }]
  const request = chatRequestSchema.parse({ messages: [{ role: 'user', content }] })
  expect(checkFields(request, model, { unsupportedByProvider: param })?.message).toBe(
    `${param} ${lack} for google/gemini-3.5-flash. ${fix}, or choose another model.`,
  )
})

test.each([
  [
    { response_format: { type: 'json_object' }, tools },
    'response_format is not supported together with tools for google/gemini-2.5-flash. Remove one of them, or choose another model.',
  ],
  [
    { tool_choice: 'required', tools },
    'tool_choice must be auto for google/gemini-2.5-flash here. Ask for the tool in the messages, or choose another model.',
  ],
  [
    { tool_choice: 'required', tools, reasoning_effort: 'high' },
    'tool_choice must be auto for google/gemini-2.5-flash here. Remove reasoning_effort, or choose another model.',
  ],
])('fields that no provider takes together are refused with the fix: %j', (fields, message) => {
  const model = catalog.findChatModel('google/gemini-2.5-flash')
  if (model === undefined) throw new Error('gemini-2.5-flash is not in the catalog')
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, ...fields })
  const param = 'response_format' in fields ? 'response_format' : 'tool_choice'
  expect(checkFields(request, model, { unsupportedByProvider: param })).toMatchObject({
    param,
    message,
  })
})

test.each([
  [
    'anthropic/claude-sonnet-4.5',
    { type: 'json_object' },
    'response_format must have a JSON schema for anthropic/claude-sonnet-4.5. Use type json_schema with json_schema.schema.',
  ],
  [
    'groq/llama-3.3-70b-versatile',
    schema,
    'response_format json_schema is not supported with groq/llama-3.3-70b-versatile here. Use json_object and give the schema in a message, or choose another model.',
  ],
])('a format that no provider of %s has is refused with one that it has', (id, format, message) => {
  const model = catalog.findChatModel(id)
  if (model === undefined) throw new Error(`${id} is not in the catalog`)
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, response_format: format })
  expect(checkFields(request, model, { unsupportedByProvider: 'response_format' })?.message).toBe(
    message,
  )
})

test('stop sequences that no provider takes are refused with the limits', () => {
  const model = catalog.findChatModel('google/gemini-2.5-flash')
  if (model === undefined) throw new Error('gemini-2.5-flash is not in the catalog')
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, stop: ['a', 'b', 'c', 'd', 'e', 'f'] })
  expect(checkFields(request, model, { unsupportedByProvider: 'stop' })?.message).toBe(
    'stop must have at most 4 texts for google/gemini-2.5-flash here, none of white space alone. Change it, or choose another model.',
  )
})

test('JSON mode without the word that its providers require is refused with the fix', () => {
  const model = catalog.findChatModel('openai/gpt-5.5')
  if (model === undefined) throw new Error('gpt-5.5 is not in the catalog')
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, response_format: { type: 'json_object' } })
  expect(checkFields(request, model, { unsupportedByProvider: 'messages' })).toEqual({
    code: 'invalid_field',
    param: 'messages',
    message:
      'messages must have the word JSON for openai/gpt-5.5 with response_format json_object. Ask for JSON in one of them, or use json_schema.',
  })
})

test('an effort that no provider of the model takes is named with its value', () => {
  const model = catalog.findChatModel('openai/gpt-5.6-sol')
  if (model === undefined) throw new Error('gpt-5.6-sol is not in the catalog')
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, reasoning_effort: 'minimal' })
  expect(checkFields(request, model, { unsupportedByProvider: 'reasoning_effort' })).toMatchObject({
    param: 'reasoning_effort',
    message: expect.stringContaining('reasoning_effort "minimal" is not supported with'),
  })
})

test.each([
  ['openai/gpt-5.5', { temperature: 0.5 }, 'Remove it, set it to 1, or choose another model.'],
  ['openai/gpt-5.5', { presence_penalty: 1 }, 'Remove it, set it to 0, or choose another model.'],
  ['openai/gpt-4.1', { verbosity: 'low' }, 'Remove it, set it to "medium", or choose another'],
  ['anthropic/claude-sonnet-4.5', { reasoning_effort: 'low' }, 'Remove it, set it to "none", or'],
  ['anthropic/claude-opus-4.1', { response_format: schema }, 'Remove it or choose another model.'],
])('%s with %j: the refusal says what would work', (id, fields, fix) => {
  const model = catalog.findChatModel(id)
  if (model === undefined) throw new Error(`${id} is not in the catalog`)
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, ...fields })
  expect(checkFields(request, model)?.message).toContain(fix)
})

test('the refusal names the value of the caller, and none where the caller has none', () => {
  const model = catalog.findChatModel('openai/gpt-5.5')
  if (model === undefined) throw new Error('gpt-5.5 is not in the catalog')
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, temperature: 0.5 })
  const fixWith = (value: string | undefined): string | undefined =>
    checkFields(request, model, { neutralValue: () => value })?.message.split('. ')[1]
  expect(fixWith('off')).toBe('Remove it, set it to "off", or choose another model.')
  expect(fixWith(undefined)).toBe('Remove it or choose another model.')
})

test.each([
  ['openai/gpt-5.5', { temperature: 1, presence_penalty: 0 }],
  ['openai/gpt-4.1', { verbosity: 'medium' }],
  ['anthropic/claude-sonnet-4.5', { reasoning_effort: 'none' }],
  ['openai/gpt-5.5', { temperature: 0.7 }],
  ['anthropic/claude-sonnet-5.5', { temperature: 0.7 }],
])('%s takes the values that refusals suggest, and defaults: %j', (id, fields) => {
  const model = catalog.findChatModel(id)
  if (model === undefined) throw new Error(`${id} is not in the catalog`)
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, ...fields })
  expect(checkFields(withoutNeutralFields(request, model), model)).toBeUndefined()
})

test('a schema that cannot be enforced is rejected with what it lacks', () => {
  const model = catalog.findChatModel('openai/gpt-5.5')
  if (model === undefined) throw new Error('gpt-5.5 is not in the catalog')
  const messages = [{ role: 'user', content: 'hi' }]
  const request = chatRequestSchema.parse({ messages, response_format: looseFormat(true) })
  expect(checkFields(request, model)?.message).toBe(
    'response_format.json_schema.schema must have "a" in required for openai/gpt-5.5 to follow this schema strictly. Add it.',
  )
})
