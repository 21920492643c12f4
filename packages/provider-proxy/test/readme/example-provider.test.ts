import { readFileSync } from 'node:fs'
import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import { collectCompletion, unsupportedField } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { chunk, openEvents, startProviderServer } from '../support/provider-server.ts'
import { createExampleProvider, exampleProfile } from './example-provider.ts'

const open = closingAfterEach()

test('the provider of the README is called, read and metered', async () => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.write(chunk({ role: 'assistant', content: 'Hello' }))
    response.write(chunk({}, { finish: 'stop' }))
    const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 }
    response.end(`${chunk({}, { usage })}data: [DONE]\n\n`)
  })
  const provider = createExampleProvider('sk-example', server.url)
  open.push(server, { stop: () => provider.close() })
  const stream = await provider.open(chatCall('Hi'))
  expect(stream).toMatchObject({ provider: 'example', onClientGone: 'drain' })
  const { completion, usage } = await collectCompletion(stream)
  expect(completion(null)).toMatchObject({
    provider: 'example',
    choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
  })
  expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 1 })
  const [request] = server.received
  expect(request).toMatchObject({
    path: '/chat/completions',
    headers: { authorization: 'Bearer sk-example' },
    body: { model: 'upstream-model', max_tokens: 64, stream_options: { include_usage: true } },
  })
})

test('what it cannot honor is named before the payment', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const request = chatRequestSchema.parse({ messages, seed: 1 })
  expect(unsupportedField(exampleProfile, request)).toBe('seed')
})

test('the README shows it in full, in at most twenty lines of its own', () => {
  const at = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  const example = at('./example-provider.ts')
  expect(at('../../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``)
  const [, own = ''] = example.split(/^\} from .*$/m)
  expect(own.trim().split('\n').length).toBeLessThanOrEqual(20)
})
