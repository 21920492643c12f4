import { expect, test } from 'vitest'
import { collectCompletion, createAnthropicProvider, relayEventStream } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { chunksOf, memorySink } from '../support/memory-sink.ts'
import { scriptedProviders } from '../support/scripted-provider.ts'
import { finish, hello, named, start } from './events.ts'

const setUp = scriptedProviders(
  (url) => createAnthropicProvider({ apiKey: 'key-1', baseUrl: `${url}/v1` }),
  closingAfterEach(),
)

test('a response that breaks off reports the input and the caches that were counted at its start', async () => {
  const { provider } = await setUp(start + hello)
  const stream = await provider.open(chatCall('hi'))
  const outcome = await relayEventStream(stream, memorySink())
  expect(outcome).toMatchObject({ status: 'truncated', usage: null })
  expect(outcome.usageSoFar).toMatchObject({
    inputTokens: 37,
    cacheReadTokens: 5,
    cacheWriteTokens: 7,
    outputTokens: 0,
  })
})

test('the stop sequence that ended a message is in the completion and its stream', async () => {
  const stopped =
    named({
      type: 'message_delta',
      delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    }) + named({ type: 'message_stop' })
  const { provider: whole } = await setUp(start + hello + stopped)
  const { completion } = await collectCompletion(await whole.open(chatCall('hi')))
  expect(completion(null).choices[0]).toMatchObject({ finish_reason: 'stop', stop_sequence: 'END' })
  const { provider } = await setUp(start + hello + stopped)
  const outcome = await relayEventStream(await provider.open(chatCall('hi')), memorySink())
  if (outcome.status !== 'complete') throw new Error(outcome.status)
  expect(chunksOf([outcome.finalChunk(null)])[0]?.choices[0]).toMatchObject({
    finish_reason: 'stop',
    stop_sequence: 'END',
  })
})

test('a first event that is repeated at once is read once', async () => {
  const { provider } = await setUp(start + start + hello + finish('end_turn'))
  const sink = memorySink()
  const outcome = await relayEventStream(await provider.open(chatCall('hi')), sink)
  expect(outcome).toMatchObject({ status: 'complete', usage: { inputTokens: 37 } })
  const deltas = chunksOf(sink.texts).map(({ choices }) => choices[0]?.delta)
  expect(deltas.filter((delta) => delta?.role !== undefined)).toHaveLength(1)
})

const overloaded = named({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })

test.each([
  ['an error', overloaded],
  ['an event that is not JSON', 'event: ping\ndata: {\n\n'],
])('%s after the stop reason takes nothing from the message', async (_, last) => {
  const [stopped = ''] = finish('end_turn').split('event: message_stop')
  const { provider } = await setUp(start + hello + stopped + last)
  const outcome = await relayEventStream(await provider.open(chatCall('hi')), memorySink())
  expect(outcome).toMatchObject({ status: 'complete', usage: { outputTokens: 15 } })
})

test('an error before the stop reason breaks the message off', async () => {
  const { provider } = await setUp(start + hello + overloaded)
  const outcome = await relayEventStream(await provider.open(chatCall('hi')), memorySink())
  expect(outcome).toMatchObject({ status: 'truncated', error: { code: 'upstream_unavailable' } })
})

test('a call without a name is a failure of the provider', async () => {
  const content_block = { type: 'tool_use', id: 'a', name: '', input: {} }
  const nameless = named({ type: 'content_block_start', index: 1, content_block })
  const { provider } = await setUp(start + hello + nameless + finish('tool_use'))
  const collecting = collectCompletion(await provider.open(chatCall('hi')))
  await expect(collecting).rejects.toMatchObject({ code: 'upstream_unusable' })
})
