import { expect, test } from 'vitest'
import {
  chatUsageJson,
  collectCompletion,
  createAnthropicProvider,
  groqProfile,
  openRouterProfile,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { event, openEvents, startProviderServer } from '../support/provider-server.ts'
import { type HistoryMessage, sentBody } from '../support/sent-body.ts'

const hour = { type: 'ephemeral', ttl: '1h' }
const short = { type: 'ephemeral' }

const call = { id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{}' } }
const marked: readonly HistoryMessage[] = [
  {
    role: 'system',
    content: [
      { type: 'text', text: 'Long rules.', cache_control: hour },
      { type: 'text', text: 'Short ones.' },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'Look.', cache_control: short }] },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'I look.', cache_control: short }],
    tool_calls: [{ ...call, cache_control: hour }],
  },
  {
    role: 'tool',
    tool_call_id: 'toolu_1',
    content: [{ type: 'text', text: 'Seen.', cache_control: short }],
  },
]

test('marks go to Claude on blocks of text, turns, calls and results', async () => {
  expect(await sentBody('anthropic', 'claude-sonnet-4-6', marked)).toMatchObject({
    system: [
      { type: 'text', text: 'Long rules.', cache_control: hour },
      { type: 'text', text: 'Short ones.' },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Look.', cache_control: short }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.', cache_control: short },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, cache_control: hour },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: 'Seen.',
            cache_control: short,
          },
        ],
      },
    ],
  })
})

test('of the texts of a last assistant turn, the end alone loses its white space', async () => {
  const text = (words: string, cache_control?: object) => ({
    type: 'text',
    text: words,
    ...(cache_control && { cache_control }),
  })
  const content = [text('One, ', short), text(' two, '), text('\n')]
  const messages = [
    { role: 'user', content: 'Count.' },
    { role: 'assistant', content },
  ]
  expect(await sentBody('anthropic', 'claude-sonnet-4-5', messages)).toMatchObject({
    messages: [{}, { content: [text('One, ', short), text(' two,')] }],
  })
})

test('marks go to OpenRouter as they came, on parts alone', async () => {
  const { messages } = await sentBody(openRouterProfile, 'anthropic/claude-sonnet-4.6', marked)
  expect(messages).toMatchObject([marked[0], marked[1], { content: marked[2]?.content }, marked[3]])
  expect(messages).toMatchObject([{}, {}, { tool_calls: [call] }, {}])
  expect(JSON.stringify(messages).split('cache_control')).toHaveLength(5)
})

test('other providers get none', async () => {
  const body = await sentBody(groqProfile, 'llama', marked)
  expect(JSON.stringify(body)).not.toContain('cache_control')
  expect(body['messages']).toHaveLength(marked.length)
})

/** Usage as Anthropic's API reports it for a request that writes caches of both lifetimes. */
const usage = {
  input_tokens: 50,
  cache_creation_input_tokens: 248,
  cache_read_input_tokens: 1_800,
  cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
  output_tokens: 1,
}
const answer = [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 503 } },
  { type: 'message_stop' },
]

test('what was written and read is counted, by lifetime, and shown', async () => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.end(answer.map((one) => event(one, one.type)).join(''))
  })
  const provider = createAnthropicProvider({ apiKey: 'key', baseUrl: server.url })
  const outcome = await collectCompletion(await provider.open(chatCall('hello')))
  await provider.close()
  await server.stop()
  expect(outcome.usage).toMatchObject({
    inputTokens: 2_098,
    cacheReadTokens: 1_800,
    cacheWriteTokens: 248,
    cacheWriteHourTokens: 100,
  })
  if (outcome.usage === null) throw new Error('no usage')
  expect(chatUsageJson(outcome.usage)).toMatchObject({
    prompt_tokens: 2_098,
    prompt_tokens_details: { cached_tokens: 1_800, cache_write_tokens: 248 },
  })
})
