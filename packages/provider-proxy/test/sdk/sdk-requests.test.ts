import { chatRequestSchema } from '@farebox/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unsupportedField } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import {
  event,
  openEvents,
  type ProviderServer,
  startProviderServer,
} from '../support/provider-server.ts'
import { sameMeaning } from './same-meaning.ts'
import { comparedWires } from './sdk-models.ts'
import { comparedRequests } from './sdk-requests.ts'

let server: ProviderServer
beforeAll(async () => {
  server = await startProviderServer((response) => {
    openEvents(response)
    response.end(event({ error: { message: 'enough' } }))
  })
})
afterAll(() => server.stop())

const inResult = 'an image in the result of a call'

/**
 * What the SDK drops with a warning, sends as JSON text or downloads first, and is rejected here: no
 * field of these providers has it. The storefront moves images in results into a message of the user.
 */
const rejected: Readonly<Record<string, readonly string[]>> = {
  openai: [inResult],
  anthropic: ['seed'],
  gemini: ['one tool at a time', 'an image by address'],
  mistral: [inResult],
  deepseek: ['seed', 'one tool at a time', inResult],
  groq: [inResult],
  openrouter: [inResult],
  together: [inResult],
}

/** What every conversation with a model needs, on the wires of four vendors: 48 requests. */
const core = {
  wires: ['openai', 'anthropic', 'gemini', 'mistral'],
  requests: [
    'one text',
    'instructions',
    'several turns',
    'stop',
    'a tool',
    'a tool, required',
    'a tool by name',
    'no tool',
    'results of two calls, one without arguments',
    'an image as data',
    'a JSON schema',
    'an effort',
  ],
}

test('48 of 48 core requests are among those that are sent as the SDK sends them', () => {
  const sent = comparedWires.flatMap(({ name: wire }) =>
    comparedRequests
      .filter(({ name }) => rejected[wire]?.includes(name) !== true)
      .map(({ name }) => `${wire}: ${name}`),
  )
  const wanted = core.wires.flatMap((wire) => core.requests.map((name) => `${wire}: ${name}`))
  expect(wanted).toHaveLength(48)
  expect(sent).toEqual(expect.arrayContaining(wanted))
  expect(sent).toHaveLength(125)
})

test.each(comparedWires)('$name is sent what its package for the AI SDK sends', async (wire) => {
  const connection = { baseUrl: server.url, apiKey: 'key' }
  const provider = wire.provider(connection)
  const model = wire.sdk(connection)
  const names: string[] = []
  for (const { name, sdk, ours } of comparedRequests) {
    const request = chatRequestSchema.parse(ours)
    if (unsupportedField(wire.limits, request) !== null) {
      names.push(name)
      continue
    }
    const { temperature } = request
    const call = chatCall('hi', { upstreamModel: wire.model, ...(temperature && { temperature }) })
    const before = server.received.length
    await expect(provider.open({ ...call, request })).rejects.toThrow()
    await model.doStream({ maxOutputTokens: 64, ...sdk }).then(
      ({ stream }) => stream.cancel(),
      () => undefined,
    )
    const [sent, expected] = server.received.slice(before)
    expect(sent?.path, name).toBe(expected?.path)
    expect(sameMeaning(wire.name, sent?.body ?? {}), name).toEqual(
      sameMeaning(wire.name, expected?.body ?? {}),
    )
  }
  await provider.close()
  expect(names).toEqual(rejected[wire.name] ?? [])
})
