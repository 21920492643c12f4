import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  collectCompletion,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  customProfile,
} from '../../src/index.ts'
import { block, finish, start } from '../anthropic/events.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { chunk, event, type Responder, startProviderServer } from '../support/provider-server.ts'

const open = closingAfterEach()
const mebibyte = 1_048_576

const makers = {
  openai: (baseUrl: string) => createOpenAiCompatibleProvider({ profile: customProfile, baseUrl }),
  anthropic: (baseUrl: string) => createAnthropicProvider({ apiKey: 'k', baseUrl }),
  gemini: (baseUrl: string) => createGeminiProvider({ apiKey: 'k', baseUrl }),
}

/** A response with one event of this length at least. */
const responses = {
  openai: (long: string) => chunk({ content: long }, { finish: 'stop' }),
  anthropic: (long: string) =>
    start +
    block(0, { type: 'text', text: '' }, { type: 'text_delta', text: long }) +
    finish('end_turn'),
  gemini: (long: string) =>
    event({ candidates: [{ content: { parts: [{ text: long }] }, finishReason: 'STOP' }] }),
}

async function answerOf(wire: keyof typeof makers, respond: Responder) {
  const server = await startProviderServer(respond)
  const provider = makers[wire](server.url)
  open.push(server, { stop: () => provider.close() })
  return collectCompletion(await provider.open(chatCall('hi')))
}

const wires = ['openai', 'anthropic', 'gemini'] as const

test.each(wires)('%s: an event of 15 MiB, such as a picture, is read', async (wire) => {
  const text = 'a'.repeat(15 * mebibyte)
  const { completion } = await answerOf(wire, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(responses[wire](text))
  })
  expect(completion(null).choices[0]?.message.content?.length).toBe(text.length)
})

test.each(wires)('%s: an event above 16 MiB breaks the response off', async (wire) => {
  const answer = answerOf(wire, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(responses[wire]('a'.repeat(17 * mebibyte)))
  })
  await expect(answer).rejects.toMatchObject({
    code: 'upstream_truncated',
    cause: { type: 'max-buffer-size-exceeded' },
  })
})

/** JSON with a field of two million empty arrays. */
const arrays = `{"more":[${'[],'.repeat(2_000_000)}0]`

test.each(wires)('%s: an event of two million arrays breaks the response off', async (wire) => {
  const answer = answerOf(wire, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${arrays}}\n\n${responses[wire]('a')}`)
  })
  await expect(answer).rejects.toMatchObject({ code: 'upstream_truncated' })
})

/** Sends the same over and over until the connection is closed; resolves then. */
function endlessly(text: string, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve)
    const send = (): void => {
      while (!response.destroyed && response.write(text));
    }
    response.on('drain', send)
    send()
  })
}

describe.each(wires)('%s: 32 MiB without a token break the response off', (wire) => {
  test.each([
    ['comments', `: ${'a'.repeat(1000)}\n`.repeat(100)],
    ['empty lines', '\n'.repeat(100_000)],
    ['empty events', event({}).repeat(10_000)],
  ])('%s', async (_, text) => {
    let isClosed = false
    const answer = answerOf(wire, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      await endlessly(text, response)
      isClosed = true
    })
    await expect(answer).rejects.toMatchObject({ code: 'upstream_truncated' })
    await expect.poll(() => isClosed).toBe(true)
  })
})

test('an endless response of a server that does not stream is not available', async () => {
  const answer = answerOf('openai', async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    await endlessly('a'.repeat(100_000), response)
  })
  await expect(answer).rejects.toMatchObject({ code: 'upstream_unavailable' })
})

test.each([
  [15, 'is read'],
  [17, 'is not available'],
])('a response of %d MiB by a server that does not stream %s', async (size, how) => {
  const images = [
    {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'A'.repeat(size * mebibyte)}` },
    },
  ]
  const content = Array.from({ length: 300_000 }, () => 0)
  const choice = { message: { images }, logprobs: { content }, finish_reason: 'stop' }
  const answer = answerOf('openai', (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [choice] }))
  })
  if (how === 'is read') {
    const [read] = (await answer).completion(null).choices
    expect(read).toMatchObject({ logprobs: { content: { length: content.length } } })
    expect(read?.message.images).toEqual(images)
  } else await expect(answer).rejects.toMatchObject({ code: 'upstream_unavailable' })
})
