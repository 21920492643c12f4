import { expect, test } from 'vitest'
import { collectCompletion, createGeminiProvider } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { event } from '../support/provider-server.ts'
import { scriptedProviders } from '../support/scripted-provider.ts'

const setUp = scriptedProviders(
  (url) => createGeminiProvider({ apiKey: 'key-1', baseUrl: `${url}/v1beta` }),
  closingAfterEach(),
)

/** A response that ends for this reason after its thoughts. */
function ended(finishReason: string, parts: readonly object[] = []): string {
  const usageMetadata = { promptTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 50 }
  const content = { parts, role: 'model' }
  return event({ candidates: [{ content, finishReason, index: 0 }], usageMetadata })
}

test.each([
  ['MALFORMED_FUNCTION_CALL', 'upstream_unusable'],
  ['MALFORMED_RESPONSE', 'upstream_unusable'],
  ['UNEXPECTED_TOOL_CALL', 'upstream_unusable'],
  ['TOO_MANY_TOOL_CALLS', 'upstream_unusable'],
  ['LANGUAGE', 'upstream_withheld'],
  ['OTHER', 'upstream_withheld'],
])('the finish reason %s without text is the failure %s', async (finishReason, code) => {
  const { provider } = await setUp(ended(finishReason))
  const collected = provider.open(chatCall('hi')).then(collectCompletion)
  await expect(collected).rejects.toMatchObject({ code })
})

test('text before a malformed call makes a response that cannot be used', async () => {
  const { provider } = await setUp(ended('MALFORMED_FUNCTION_CALL', [{ text: 'a' }]))
  const stream = await provider.open(chatCall('hi'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({ code: 'upstream_unusable' })
})

test('arguments that are nested too deeply to be written make a call that cannot be used', async () => {
  const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const call = `{"functionCall":{"name":"f","args":${args}}}`
  const candidate = `{"content":{"parts":[${call}]},"finishReason":"STOP"}`
  const { provider } = await setUp(`data: {"candidates":[${candidate}]}\n\n`)
  await expect(provider.open(chatCall('hi')).then(collectCompletion)).rejects.toMatchObject({
    code: 'upstream_unusable',
  })
})
