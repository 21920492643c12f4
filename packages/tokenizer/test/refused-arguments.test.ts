import { expect, test } from 'vitest'
import {
  countChatTokens,
  counterForModel,
  countImageTokens,
  createCounter,
  createTokenizer,
  imageSize,
  imageSizeOfUrl,
} from '../src/index.ts'
import { createTokenCounter } from '../src/node.ts'
import * as o200k from '../src/o200k-base.ts'

type Call = (value: unknown) => unknown

const exact = createCounter('openai-o200k', o200k.tokenizer)
const chatOf: Call = (message) => Reflect.apply(countChatTokens, null, [[message], exact])
const wide: Call = (width) =>
  Reflect.apply(countImageTokens, null, ['gpt-4o', { size: { width, height: 5 } }])
const chatWith: Call = (extras) => Reflect.apply(countChatTokens, null, [[], exact, extras])
const five = { latin: 1.3, digit: 0.8, symbol: 1.6, cjk: 1.1, other: 1.4 }
const counterWith: Call = (options) => Reflect.apply(createTokenCounter, null, [options])

test.each<readonly [name: string, call: Call, wrong: readonly unknown[], message: RegExp]>([
  ['decode', o200k.decode as Call, ['5', 5, null, undefined], /^tokens must be an array of token/],
  [
    'createTokenizer',
    createTokenizer as Call,
    [-1, 5n, 'FXB4', [], null],
    /^tableFile must be a Ui/,
  ],
  [
    'counterForModel',
    counterForModel as Call,
    [5, null, undefined],
    /^id must be a string, and is/,
  ],
  ['countImageTokens', countImageTokens as Call, [5, null], /^model must be a string, and is/],
  [
    'the width of an image',
    wide,
    [Number.NaN, -1, 0, 1.5, '5', null],
    /^size.width must be an int/,
  ],
  [
    'the detail of an image',
    (detail) => Reflect.apply(countImageTokens, null, ['gpt-4o', { detail }]),
    ['Low', 'medium', '', 5, {}],
    /^detail must be auto, low, high or original, and is /,
  ],
  [
    'the detail of an image in a chat',
    (detail) =>
      Reflect.apply(countChatTokens, null, [
        [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'a', detail } }] }],
        exact,
        { model: 'gpt-4o' },
      ]),
    ['Low'],
    /^messages\[0\]\.content\[0\]\.image_url\.detail must be auto, low, high or original, and is "Low"/,
  ],
  ['imageSize', imageSize as Call, [5, 'GIF89a', null], /^bytes must be a Uint8Array or an ArrayB/],
  ['imageSizeOfUrl', imageSizeOfUrl as Call, [5, [], null], /^url must be a string, and is/],
  [
    'a counter',
    (counter) => Reflect.apply(countChatTokens, null, [[], counter]),
    [undefined, null, 'claude', {}],
    /^counter must be a counter, such as that of createCounter/,
  ],
  ['a message', chatOf, ['hello', 5, null], /^messages\[0\] must be an object, and is/],
  [
    'a part',
    (part) => chatOf({ role: 'user', content: [part] }),
    ['a', null],
    /^messages\[0\]\.content\[0\] must/,
  ],
  [
    'an image',
    (image) => chatOf({ role: 'user', content: [{ type: 'image_url', image_url: image }] }),
    ['https://example.com/a.png', null, { url: 5 }],
    /^messages\[0\]\.content\[0\]\.image_url must be an object with a url, and is/,
  ],
  [
    'tools',
    (tools) => chatWith({ tools }),
    [{}, 'get_weather', 5],
    /^tools must be an array of tool definitions, and is/,
  ],
  ['a tool', (tool) => chatWith({ tools: [{}, tool] }), ['a', null, []], /^tools\[1\] must be a t/],
  [
    'functions',
    (functions) => chatWith({ functions }),
    [[], [{ name: 'a' }], {}],
    /^functions must be passed as tools/,
  ],
  [
    'response_format',
    (format) => chatWith({ response_format: format }),
    [{ type: 'json_object' }, 'text'],
    /^response_format must be passed as responseFormat/,
  ],
  [
    'tool_calls',
    (calls) => chatOf({ role: 'assistant', tool_calls: calls }),
    [{}, 'a', 5],
    /^messages\[0\]\.tool_calls must be an array of calls, and is/,
  ],
  [
    'a call',
    (call) => chatOf({ role: 'assistant', tool_calls: [call] }),
    ['a', null, []],
    /^messages\[0\]\.tool_calls\[0\] must be an object, and is/,
  ],
  [
    'the function of a call',
    (called) => chatOf({ role: 'assistant', tool_calls: [{ function: called }] }),
    ['a', null, []],
    /^messages\[0\]\.tool_calls\[0\]\.function must be an object with a name, and is/,
  ],
  [
    'the name of a function',
    (name) => chatOf({ role: 'assistant', tool_calls: [{ function: { name } }] }),
    [5, null, undefined],
    /^messages\[0\]\.tool_calls\[0\]\.function\.name must be a string, and is/,
  ],
  [
    'the arguments of a call',
    (json) => chatOf({ role: 'assistant', function_call: { name: 'a', arguments: json } }),
    [{ city: 'Paris' }, null],
    /^messages\[0\]\.function_call\.arguments must be a string of JSON, and is/,
  ],
  [
    'tool_call_id',
    (id) => chatOf({ role: 'tool', content: 'a', tool_call_id: id }),
    [5, null],
    /^messages\[0\]\.tool_call_id must be a string, and is/,
  ],
  [
    'a factor',
    (latin) => Reflect.apply(createCounter, null, ['claude', o200k.tokenizer, { ...five, latin }]),
    [Number.NaN, 0, -1, Number.POSITIVE_INFINITY, '1.2', null, undefined],
    /^calibrated\.latin must be a number above 0$/,
  ],
  [
    'factors',
    (factors) => Reflect.apply(createCounter, null, ['claude', o200k.tokenizer, factors]),
    [5, 'claude', [], null],
    /^calibrated must be an object of factors/,
  ],
  [
    'tokens to add',
    (tool) =>
      Reflect.apply(createCounter, null, [
        'claude',
        o200k.tokenizer,
        { ...five, framing: { tool } },
      ]),
    [Number.NaN, '3', null],
    /^calibrated\.framing\.tool must be a number$/,
  ],
  [
    'the factors of a counter',
    (claude) => counterWith({ factors: { claude } }),
    [
      { ...five, cjk: Number.NaN },
      { ...five, cjk: '1' },
    ],
    /^factors\.claude\.cjk must be a number above 0/,
  ],
  [
    'a tokenizer',
    (tokenizer) => Reflect.apply(createCounter, null, ['claude', tokenizer]),
    [undefined, null, 'o200k_base', {}],
    /^tokenizer must be a tokenizer/,
  ],
  [
    'workers',
    (workers) => counterWith({ workers }),
    [0, 1.5, Number.NaN, '2'],
    /^workers must be an/,
  ],
  [
    'the name of a vocabulary',
    (path) => counterWith({ vocabularies: { 'gemma-3': path } }),
    ['gemma3.bin'],
    /^vocabularies\.gemma-3 is not a vocabulary/,
  ],
  [
    'an unknown option',
    (vocabulary) => counterWith({ vocabulary }),
    [{ llama3: 'llama3.bin' }, undefined],
    /^A token counter has no option vocabulary/,
  ],
  ['cacheBytes', (cacheBytes) => counterWith({ cacheBytes }), [-1, Number.NaN, '8'], /^cacheBytes/],
  ['inlineBytes', (inlineBytes) => counterWith({ inlineBytes }), [Number.NaN], /^inlineBytes must/],
])('%s: an argument of a wrong type is refused by name', (_, call, wrong, message) => {
  for (const value of wrong) {
    expect(() => call(value), String(value)).toThrow(TypeError)
    expect(() => call(value), String(value)).toThrow(message)
  }
})

test('a text or limit of another type is refused, and the queue of the counter stays usable', async () => {
  const counter = createTokenCounter({ maxQueueBytes: 1_000, inlineBytes: 10, workers: 1 })
  const countText: unknown = Reflect.apply(counter.countText, null, ['openai-o200k', 5])
  await expect(countText).rejects.toThrow(/^text must be a string, and is of type number/)
  const named = { role: 'user', name: 5, content: 'a' }
  const chat: unknown = Reflect.apply(counter.countChat, null, [
    { counter: 'openai-o200k', messages: [named] },
  ])
  await expect(chat).rejects.toThrow(/^messages\[0\]\.name must be a string/)
  const messages = [{ role: 'user', content: 'a' }]
  for (const atMost of [Number.NaN, 'many', null]) {
    const input = { counter: 'openai-o200k', messages, atMost }
    const limited: unknown = Reflect.apply(counter.countChat, null, [input])
    await expect(limited).rejects.toThrow(/^atMost must be a number of tokens/)
  }
  await expect(counter.countText('openai-o200k', 'a'.repeat(600))).rejects.toMatchObject({
    code: 'token_queue_full',
  })
  expect(await counter.countText('openai-o200k', 'hello')).toMatchObject({ tokens: 1 })
  await counter.close()
})

test('no tools and no calls may be null, as in the answers of OpenAI', () => {
  const answer = { role: 'assistant', content: 'Hello', tool_calls: null, function_call: null }
  const { tool_calls, function_call, ...plain } = answer
  expect(countChatTokens([answer], exact)).toStrictEqual(countChatTokens([plain], exact))
  const extras = { tools: null, functions: null }
  expect(Reflect.apply(countChatTokens, null, [[plain], exact, extras])).toStrictEqual(
    countChatTokens([plain], exact),
  )
})

test('the bytes of an image may be an ArrayBuffer', () => {
  const gif = Uint8Array.of(0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 7, 0, 5, 0, 0, 0, 0)
  expect(Reflect.apply(imageSize, null, [gif.buffer])).toStrictEqual(imageSize(gif))
})
