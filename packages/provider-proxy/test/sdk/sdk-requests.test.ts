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

/** What the SDK drops with a warning, sends as JSON text or downloads first, and is rejected here. */
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
