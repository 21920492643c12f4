import { chatRequestSchema, parseWith } from '@farebox/api'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'

type Message = OpenAI.Chat.Completions.ChatCompletionMessage
type Params = OpenAI.Chat.Completions.ChatCompletionMessageParam
type Fields<Type> = { readonly [Field in keyof Required<Type>]: readonly Type[Field][] }

const call = {
  id: 'c',
  type: 'function',
  function: { name: 'f', arguments: '{}' },
} as const

/** Each field of an answer, as the published interface types it, with each kind of value. */
const answer: Fields<Omit<Message, 'function_call'>> = {
  role: ['assistant'],
  content: ['hi', ''],
  refusal: [null, 'no'],
  annotations: [
    [],
    [
      {
        type: 'url_citation',
        url_citation: { start_index: 0, end_index: 1, title: 't', url: 'https://a.example' },
      },
    ],
  ],
  audio: [null, { id: 'a', data: 'AAAA', expires_at: 1, transcript: 'hi' }],
  tool_calls: [[], [call]],
}

/** Deprecated, so that the types may not name it. */
const functionCall = { function_call: [null, { name: 'f', arguments: '{}' }] }

type AssistantParam = Extract<Params, { role: 'assistant' }>
const assistant: Fields<Omit<AssistantParam, 'function_call'>> = {
  role: ['assistant'],
  content: [null, 'hi', [{ type: 'text', text: 'hi' }], [{ type: 'refusal', refusal: 'no' }]],
  refusal: [null, 'no'],
  name: ['ann'],
  audio: [null, { id: 'a' }],
  tool_calls: [[call]],
}

type ToolParam = Extract<Params, { role: 'tool' }>
const tool: Fields<ToolParam> = {
  role: ['tool'],
  content: ['r', [{ type: 'text', text: 'r' }]],
  tool_call_id: ['c'],
}

type UserParam = Extract<Params, { role: 'user' }>
const user: Fields<UserParam> = {
  role: ['user'],
  content: [
    'hi',
    [
      { type: 'text', text: 'hi' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
    ],
  ],
  name: ['ann'],
}

type SystemParam = Extract<Params, { role: 'system' }>
const system: Fields<SystemParam> = {
  role: ['system'],
  content: ['s', [{ type: 'text', text: 's' }]],
  name: ['ann'],
}

type DeveloperParam = Extract<Params, { role: 'developer' }>
const developer: Fields<DeveloperParam> = { ...system, role: ['developer'] }

/** One message for each value of each field, the other required fields at their first value. */
function messagesOf(fields: Readonly<Record<string, readonly unknown[]>>, required: object) {
  return Object.entries(fields).flatMap(([field, values]) =>
    values.map((value): [string, object] => [
      `${field}: ${JSON.stringify(value)}`,
      { ...required, [field]: value },
    ]),
  )
}

const earlier = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: null, tool_calls: [call] },
]

test.each([
  ...messagesOf(answer, { role: 'assistant', content: 'hi', refusal: null }),
  ...messagesOf(assistant, { role: 'assistant', content: 'hi', tool_calls: [call] }),
  ...messagesOf(functionCall, { role: 'assistant', content: 'hi' }),
  ...messagesOf(tool, { role: 'tool', content: 'r', tool_call_id: 'c' }),
  ...messagesOf(user, { role: 'user', content: 'hi' }),
  ...messagesOf(system, { role: 'system', content: 's' }),
  ...messagesOf(developer, { role: 'developer', content: 's' }),
])('OpenAI’s published interface: a message with %s is accepted', (_, message) => {
  const messages = [...earlier, message, { role: 'user', content: 'hi' }]
  const parsed = parseWith(chatRequestSchema, { messages })
  expect(parsed).toMatchObject({ status: 'valid' })
})
