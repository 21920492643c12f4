import type { ChatChunk, ChatCompletion, FinishReason } from '@farebox/api'
import type { Answer } from './wire-server.ts'

type Delta = ChatChunk['choices'][number]['delta']

const frame = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'acme/thinker' }
const usage = {
  prompt_tokens: 50,
  completion_tokens: 20,
  total_tokens: 70,
  prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 7 },
  completion_tokens_details: { reasoning_tokens: 8 },
}

/** The chunks of an answer, the last with the finish reason and the usage. */
function chunks(deltas: readonly Delta[], reason: FinishReason): readonly ChatChunk[] {
  const chunk = (delta: Delta, finish_reason: FinishReason | null): ChatChunk => ({
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [...deltas.map((delta) => chunk(delta, null)), { ...chunk({}, reason), usage }]
}

/** The same kind of answer, whole. */
export function completion(
  message: Omit<ChatCompletion['choices'][number]['message'], 'role'>,
  finish_reason: FinishReason,
): ChatCompletion {
  return {
    ...frame,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    usage,
  }
}

/** A model that thinks in a signed step, says two words, and calls two tools. */
const toolTurn: readonly Delta[] = [
  { role: 'assistant', content: '' },
  {
    reasoning: 'First ',
    reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'First ' }],
  },
  { reasoning: 'this.', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'this.' }] },
  { reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'sig-1', format: 'x' }] },
  { content: 'Let me ' },
  { content: 'look.' },
  {
    tool_calls: [
      { index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } },
    ],
  },
  { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
  { tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] },
  {
    tool_calls: [
      { index: 1, id: 'call_b', type: 'function', function: { name: 'time', arguments: '{}' } },
    ],
  },
]

export const toolMessage: Omit<ChatCompletion['choices'][number]['message'], 'role'> = {
  content: 'Let me look.',
  reasoning: 'First this.',
  reasoning_details: [
    { type: 'reasoning.text', index: 0, text: 'First this.', signature: 'sig-1', format: 'x' },
  ],
  tool_calls: [
    { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    { id: 'call_b', type: 'function', function: { name: 'time', arguments: '{}' } },
  ],
}

/** A source, and the characters of the text that rest on it. */
function annotation(
  name: string,
  start_index: number,
  end_index: number,
): NonNullable<Delta['annotations']>[number] {
  const url_citation = { url: `https://${name}.example`, title: name, start_index, end_index }
  return { type: 'url_citation', url_citation }
}

const drawn = { type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } } as const

/** A model that cites before, in and after its texts, and draws between them. */
const citedTurn: readonly Delta[] = [
  { role: 'assistant', content: '' },
  { annotations: [annotation('early', 0, 0)] },
  { reasoning: 'Hm.' },
  { content: 'One' },
  { content: ' two.', annotations: [annotation('first', 0, 3)] },
  { images: [drawn] },
  { content: 'Three.' },
  { annotations: [annotation('second', 8, 13)] },
  {
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
  { annotations: [annotation('late', 0, 0)] },
]

const citedMessage: Omit<ChatCompletion['choices'][number]['message'], 'role'> = {
  content: 'One two.',
  annotations: [annotation('first', 0, 3)],
  images: [drawn],
}

/** It ends with calls of tools. */
/** A model that calls a tool that takes text, and says nothing. */
const textCall: readonly Delta[] = [
  {
    role: 'assistant',
    tool_calls: [
      { index: 0, id: 'call_p', type: 'function', function: { name: 'patch', arguments: '' } },
    ],
  },
  { tool_calls: [{ index: 0, function: { arguments: '{"input":"*** Begin' } }] },
  { tool_calls: [{ index: 0, function: { arguments: ' Patch\\n+\\"a\\""}' } }] },
]

export const textCallAnswer: Answer = {
  chunks: chunks(textCall, 'tool_calls'),
  completion: completion(
    {
      content: null,
      tool_calls: [
        {
          id: 'call_p',
          type: 'function',
          function: { name: 'patch', arguments: '{"input":"*** Begin Patch\\n+\\"a\\""}' },
        },
      ],
    },
    'tool_calls',
  ),
}

export const toolAnswer: Answer = {
  chunks: chunks(toolTurn, 'tool_calls'),
  completion: completion(toolMessage, 'tool_calls'),
}

export const textAnswer: Answer = {
  chunks: chunks([{ role: 'assistant', content: 'Sunny' }, { content: ' in Rome' }], 'stop'),
  completion: completion({ content: 'Sunny in Rome' }, 'stop'),
}

export const citedAnswer: Answer = {
  chunks: chunks(citedTurn, 'tool_calls'),
  completion: completion(citedMessage, 'stop'),
}
