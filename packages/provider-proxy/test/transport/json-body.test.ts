import { expect, onTestFinished, test } from 'vitest'
import {
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  createOpenAiImagesProvider,
  customProfile,
} from '../../src/index.ts'
import { chatCall, imageCall } from '../support/call.ts'
import { startProviderServer } from '../support/provider-server.ts'

const half = '\ud83d'
const literal = String.raw`C:\ud83d\\ud83d`
const prompt = `cut ${half}, whole 😀, ${literal}, "${half}\\"`
const sent = `cut \uFFFD, whole 😀, ${literal}, "\uFFFD\\"`

const call = {
  id: 'a',
  type: 'function',
  function: { name: 'f', arguments: JSON.stringify({ [half]: half }) },
}
const messages = [
  { role: 'user', content: prompt },
  { role: 'assistant', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'a', content: prompt },
]

const providers = {
  openai: (baseUrl: string) =>
    createOpenAiCompatibleProvider({ profile: customProfile, apiKey: 'key', baseUrl }),
  anthropic: (baseUrl: string) => createAnthropicProvider({ apiKey: 'key', baseUrl }),
  gemini: (baseUrl: string) => createGeminiProvider({ apiKey: 'key', baseUrl }),
}

test.each(['openai', 'anthropic', 'gemini'] as const)(
  'half a surrogate pair reaches %s as U+FFFD, and nothing else changes',
  async (name) => {
    const server = await startProviderServer((response) => void response.writeHead(400).end())
    const provider = providers[name](server.url)
    onTestFinished(async () => {
      await provider.close()
      await server.stop()
    })
    await provider.open(chatCall('', { request: { messages } })).catch(() => undefined)
    const texts = textsIn(server.received[0]?.body)
    expect(texts.filter((text) => text.startsWith('cut'))).toEqual([sent, sent])
    expect(texts.every((text) => text.isWellFormed())).toBe(true)
  },
)

test('half a surrogate pair in a prompt reaches an image provider as U+FFFD', async () => {
  const server = await startProviderServer((response) => void response.writeHead(400).end())
  const provider = createOpenAiImagesProvider({ apiKey: 'key', baseUrl: server.url })
  onTestFinished(async () => {
    await provider.close()
    await server.stop()
  })
  await provider.generate(imageCall({ prompt })).catch(() => undefined)
  expect(server.received[0]?.body['prompt']).toBe(sent)
})

/** All texts and names in parsed JSON. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)])
}
