import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  chatUsageJson,
  collectCompletion,
  createOpenAiCompatibleProvider,
  customProfile,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { startProviderServer } from '../support/provider-server.ts'

test('a server that does not stream is read too', async () => {
  const server = await startProviderServer((response) => {
    const message = {
      role: 'assistant',
      content: 'Hello\n\ndata: [DONE]\n\n',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' })
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage }, null, 2))
  })
  const provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: server.url })
  try {
    const outcome = await collectCompletion(await provider.open(chatCall('hello')))
    expect(outcome.usage).toMatchObject({ inputTokens: 3, outputTokens: 2, source: 'provider' })
    const usage = outcome.usage && chatUsageJson(outcome.usage, outcome.timings)
    expect(outcome.completion(usage)).toMatchObject({
      choices: [
        {
          message: {
            content: 'Hello\n\ndata: [DONE]\n\n',
            tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
  } finally {
    await provider.close()
    await server.stop()
  }
})

test('arguments that a server that does not stream nests too deeply make a call that cannot be used', async () => {
  const server = await startProviderServer((response) => {
    const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const call = `{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}`
    const message = `{"role":"assistant","content":null,"tool_calls":[${call}]}`
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"choices":[{"index":0,"message":${message},"finish_reason":"tool_calls"}]}`)
  })
  const provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: server.url })
  try {
    await expect(provider.open(chatCall('hello')).then(collectCompletion)).rejects.toMatchObject({
      code: 'upstream_unusable',
    })
  } finally {
    await provider.close()
    await server.stop()
  }
})

test('a response is read that was compressed unasked', async () => {
  const server = await startProviderServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const message = { role: 'assistant', content: 'Hello' }
    response.end(gzipSync(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] })))
  })
  const provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: server.url })
  try {
    const outcome = await collectCompletion(await provider.open(chatCall('hello')))
    expect(outcome.completion(null)).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
  } finally {
    await provider.close()
    await server.stop()
  }
})

test.each(['{"choices":[{"index":0', '{"choices":"none"}', '[]', `"${'a'.repeat(20_000_000)}"`])(
  '%.30s is not a completion',
  async (body) => {
    const server = await startProviderServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(body)
    })
    const provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: server.url })
    try {
      await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
        code: 'upstream_unavailable',
      })
    } finally {
      await provider.close()
      await server.stop()
    }
  },
)
