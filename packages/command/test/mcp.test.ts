import {
  createFareboxClient,
  type FareboxClient,
  type FareboxClientOptions,
  FareboxError,
} from '@farebox/client'
import { parseUsdc } from '@farebox/money'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { appProgram } from '../../../scripts/testing/app-program.ts'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { startMcpHttp } from '../src/index.ts'

const stage = gatewayStage()
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function connect(transport: unknown): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport as Transport)
  stops.push(async () => await client.close())
  return client
}

async function call(client: Client, name: string, input: object = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: { ...input } })) as CallToolResult
}

/** The text of the item at this place. */
function textAt({ content }: CallToolResult, index = 0): string {
  const item = content.at(index)
  return item?.type === 'text' ? item.text : ''
}

type Served = { readonly url: string; readonly paid: readonly string[] }

async function serve(
  maxTotal: string,
  {
    channel,
    ...changes
  }: Partial<Omit<FareboxClient, 'channel'>> & Pick<FareboxClientOptions, 'channel'> = {},
): Promise<Served> {
  const paid: string[] = []
  const notes: string[] = []
  const client = createFareboxClient({
    baseUrl: stage.url,
    account: privateKeyToAccount(stage.devnet.payers[1]?.privateKey ?? '0x'),
    maxTotal: parseUsdc(maxTotal),
    ...(channel && { channel: { ...channel, onUnused: ({ message }) => notes.push(message) } }),
  })
  const server = await startMcpHttp({
    client: { ...client, ...changes },
    version: '1.0.0',
    paid: async (id) => {
      paid.push(id)
    },
    takeNotes: () => notes.splice(0),
    port: 0,
    key: 'local-key',
    allowedOrigins: [],
  })
  stops.push(server.stop)
  return { url: `${server.url}/mcp`, paid }
}

function overHttp({ url }: Served, key = 'local-key'): StreamableHTTPClientTransport {
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  return new StreamableHTTPClientTransport(new URL(url), { requestInit })
}

test('over HTTP each tool answers, and the paid ones state their cost', async () => {
  const served = await serve('1')
  const client = await connect(overHttp(served))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'chat',
    'estimate',
    'image',
    'models',
    'payments',
  ])
  const model = 'openai/gpt-4.1-mini'
  const models = await call(client, 'models', { search: 'gpt-4.1-mini' })
  expect(JSON.parse(textAt(models))).toMatchObject({ models: [{ id: model }] })
  const images = await call(client, 'models', { kind: 'image' })
  expect(JSON.parse(textAt(images))).toMatchObject({
    found: expect.any(Number),
    note: expect.stringContaining('Prices of one image'),
  })
  const estimate = await call(client, 'estimate', { prompt: 'Hello', model, max_tokens: 50 })
  expect(JSON.parse(textAt(estimate))).toMatchObject({ model, estimatedOutputTokens: 50 })

  const chat = await call(client, 'chat', { prompt: 'Hello', system: 'Be kind', model })
  expect(textAt(chat)).toMatch(/sandbox/i)
  expect(textAt(chat, 1)).toBe(`${model}, cost 0.001 USDC, payment ${served.paid[0]}`)
  const image = await call(client, 'image', { prompt: 'A cat', width: 128, height: 128 })
  expect(image.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' })
  expect(textAt(image, 1)).toContain(`payment ${served.paid[1]}`)

  expect(textAt(await call(client, 'payments'))).toMatch(/^0\.\d+ USDC spent so far$/)
  const payment = await call(client, 'payments', { id: served.paid[0] })
  expect(JSON.parse(textAt(payment))).toMatchObject({ id: served.paid[0], status: 'completed' })
})

test('a call above the cap is an error that the model reads, and is not paid', async () => {
  const served = await serve('0.0005')
  const client = await connect(overHttp(served))
  const refused = await call(client, 'chat', { prompt: 'Hello' })
  expect(refused.isError).toBe(true)
  expect(textAt(refused)).toMatch(/^spend_cap_exceeded: The call costs up to .* --max-usd-total/)
  expect(served.paid).toEqual([])
})

test.each([
  ['chat', 'The tool models'],
  ['estimate', 'The tool models'],
  ['image', 'The tool models, with kind "image",'],
])('%s with an unknown model names the tool that lists the models', async (tool, lister) => {
  const client = await connect(overHttp(await serve('1')))
  const refused = await call(client, tool, { prompt: 'Hello', model: 'acme/none' })
  expect(refused.isError).toBe(true)
  expect(textAt(refused)).toMatch(new RegExp(`${lister} lists the models\\.$`))
})

test.each([
  ['chat', 'max_token', { prompt: 'Hello', max_token: 5 }],
  ['image', 'heigth', { prompt: 'A cat', heigth: 128 }],
  ['estimate', 'maxTokens', { prompt: 'Hello', maxTokens: 5 }],
  ['models', 'query', { query: 'gpt' }],
  ['payments', 'payment', { payment: 'pay_1' }],
])('%s refuses the unknown argument %s and names it', async (tool, argument, input) => {
  const served = await serve('1')
  const client = await connect(overHttp(served))
  const refused = await call(client, tool, input)
  expect(refused.isError).toBe(true)
  expect(textAt(refused)).toContain(`Unrecognized key: "${argument}"`)
  expect(served.paid).toEqual([])
})

test('the reason why no payment channel paid a call is in the first result only', async () => {
  const served = await serve('0.5', { channel: { after: 0, deposit: parseUsdc('0.6') } })
  const client = await connect(overHttp(served))
  const chats = [
    await call(client, 'chat', { prompt: 'Hello' }),
    await call(client, 'chat', { prompt: 'Hello' }),
  ]
  expect(chats.map(({ content }) => content.length)).toEqual([3, 2])
  expect(textAt(chats[0]!, 2)).toMatch(/^The call is paid by exact: a deposit of 0\.6 USDC/)
})

test('an answer that was paid for is given when the gateway has gone since', async () => {
  const served = await serve('1', {
    payment: async () => {
      throw new FareboxError('connection_failed', 'The gateway could not be reached.')
    },
  })
  const chat = await call(await connect(overHttp(served)), 'chat', { prompt: 'Hello' })
  expect(chat.isError).toBeUndefined()
  expect(textAt(chat)).toMatch(/sandbox/i)
  expect(textAt(chat, 1)).toBe(`cost not known yet, payment ${served.paid[0]}`)
})

test('an answer whose payment the gateway does not name has a note about it', async () => {
  const answering = createFareboxClient({
    baseUrl: stage.url,
    account: privateKeyToAccount(stage.devnet.payers[1]?.privateKey ?? '0x'),
  })
  const served = await serve('1', {
    async chat(...given) {
      const { completion, receipt } = await answering.chat(...given)
      return { completion, receipt: receipt && { ...receipt, paymentId: undefined } }
    },
  })
  const chat = await call(await connect(overHttp(served)), 'chat', { prompt: 'Hello' })
  expect(textAt(chat, 1)).toBe(
    'The gateway did not name the payment: the call counts at its price.',
  )
})

test.each([
  ['that reached max_tokens', { prompt: 'Hello', max_tokens: 5 }, 'its maximum length'],
  ['that the provider filtered', { prompt: '[[sandbox: finish=content_filter]]' }, 'filter'],
])('an answer %s is not given as complete', async (_, input, note) => {
  const client = await connect(overHttp(await serve('1')))
  const answer = await call(client, 'chat', input)
  expect(textAt(answer, 1)).toContain('not complete')
  expect(textAt(answer, 1)).toContain(note)
})

test('the payment of a call that fails is reported too', async () => {
  const served = await serve('1')
  const client = await connect(overHttp(served))
  const failed = await call(client, 'chat', { prompt: '[[sandbox: status=500]] Hello' })
  expect(failed.isError).toBe(true)
  expect(served.paid).toEqual([expect.stringMatching(/^pay_/)])
  expect(textAt(failed)).toContain(served.paid[0])
})

test('over HTTP a call that its client cancels stops; the call of another client continues', async () => {
  const signals: Record<string, AbortSignal | undefined> = {}
  const served = await serve('1', {
    estimate: async ({ messages }, { signal } = {}) => {
      signals[JSON.stringify(messages[0]?.content)] = signal
      return await new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
      })
    },
  })
  const begin = async (prompt: string, signal?: AbortSignal): Promise<void> => {
    const client = await connect(overHttp(served))
    const input = { name: 'estimate', arguments: { prompt } }
    client.callTool(input, undefined, signal && { signal }).catch(() => 'it is canceled')
    await expect.poll(() => Object.keys(signals)).toContain(JSON.stringify(prompt))
  }
  // Both calls have the same id, as each client counts its own.
  const leaving = new AbortController()
  await begin('leaves', leaving.signal)
  await begin('stays')
  leaving.abort()
  await expect.poll(() => signals['"leaves"']?.aborted).toBe(true)
  expect(signals['"stays"']?.aborted).toBe(false)
})

test('a caller without the key is not served', async () => {
  const served = await serve('1')
  await expect(connect(overHttp(served, 'wrong'))).rejects.toThrow(/API key is missing or wrong/)
  expect((await fetch(served.url, { headers: { authorization: 'Bearer local-key' } })).status).toBe(
    405,
  )
})

test('over standard input and output the command serves the tools', async () => {
  const client = await connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...appProgram('farebox'), 'mcp'],
      env: {
        PATH: process.env['PATH'] ?? '',
        FAREBOX_URL: stage.url,
        DATA_DIR: stage.folder,
        XDG_STATE_HOME: stage.folder,
      },
    }),
  )
  expect(client.getServerVersion()).toMatchObject({ name: 'farebox' })
  const chat = await call(client, 'chat', { prompt: 'Hello' })
  expect(textAt(chat, 1)).toMatch(/cost 0\.\d+ USDC, payment pay_/)
})
