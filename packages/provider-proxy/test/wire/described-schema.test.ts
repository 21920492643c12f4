import { expect, onTestFinished, test } from 'vitest'
import { createAnthropicProvider, createGeminiProvider } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { startProviderServer } from '../support/provider-server.ts'

const schema = { type: 'object', properties: {}, additionalProperties: false }

async function sentFor(
  create: typeof createAnthropicProvider | typeof createGeminiProvider,
  json_schema: object,
) {
  const server = await startProviderServer((response) => void response.writeHead(400).end())
  const provider = create({ apiKey: 'key', baseUrl: server.url })
  onTestFinished(async () => {
    await provider.close()
    await server.stop()
  })
  const response_format = { type: 'json_schema', json_schema: { name: 's', ...json_schema } }
  const opened = provider.open(chatCall('hi', { request: { response_format } }))
  await expect(opened).rejects.toThrow('rejected the request')
  return server.received[0]?.body
}

test.each([
  [
    { schema, description: 'A receipt.' },
    { ...schema, description: 'A receipt.' },
  ],
  [
    { schema: { ...schema, description: 'In euros.' }, description: 'A receipt.' },
    { ...schema, description: 'A receipt.\n\nIn euros.' },
  ],
  [{ schema, description: '' }, schema],
])('Claude and Gemini get the description of %j with its schema', async (format, sent) => {
  expect(await sentFor(createAnthropicProvider, format)).toHaveProperty(
    'output_config.format.schema',
    sent,
  )
  expect(await sentFor(createGeminiProvider, format)).toHaveProperty(
    'generationConfig.responseJsonSchema',
    sent,
  )
})
