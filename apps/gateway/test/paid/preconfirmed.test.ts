import type { ServerResponse } from 'node:http'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { type Flashblocks, startFlashblocks } from '@farebox/devnet/faults'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { cancelPayment, nonceOf } from '../support/cancel-payment.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

const usage = { prompt_tokens: 1, completion_tokens: 4 }

let devnet: Devnet
let node: Flashblocks
let upstream: UpstreamServer
let gateway: TestGateway
let onCall: (response: ServerResponse) => void

beforeAll(async () => {
  devnet = await startDevnet()
  node = await startFlashblocks({ target: devnet.rpcUrl })
  upstream = await openUpstream({ hello: (response) => onCall(response) })
  gateway = await openGatewayOn(devnet, {
    SETTLE_MODE: 'preconfirmed',
    RPC_URL: node.url,
    OPENROUTER_API_KEY: 'key-1',
    OPENROUTER_BASE_URL: upstream.url,
  })
})
afterEach(async () => {
  await devnet.setAutomine('on')
  await devnet.mine(1)
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
  await node.stop()
  await devnet.stop()
})

/** Sends a request while no block is made; a stream has begun when its response resolves. */
async function send(payer: number, { stream = true, path = chatPath } = {}) {
  const body = chatOf('hello', { stream })
  const { v2 } = await signPayment(gateway, payer, { path, body })
  await devnet.setAutomine('off')
  return { v2, responding: post(gateway, path, { body, headers: v2 }) }
}

async function next(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  return (await reader.read()).value ?? ''
}

async function rest(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  let text = ''
  for (let part = await next(reader); part !== ''; part = await next(reader)) text += part
  return text
}

function readerOf(response: Response): ReadableStreamDefaultReader<string> {
  return response.body!.pipeThrough(new TextDecoderStream()).getReader()
}

function decoded(header: string | null): unknown {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString())
}

async function statusOf(response: Response): Promise<string> {
  return (await gateway.record(response.headers.get('x-payment-id') ?? '')).status
}

test('a stream begins with the preconfirmation, and ends with the proof', async () => {
  onCall = (response) => answerWith(response, 'Hello to you.', usage)
  const response = await (await send(0)).responding
  const receipt = decoded(response.headers.get('payment-response')) as {
    success: boolean
    transaction: string
  }
  expect(receipt.success).toBe(true)
  expect(await devnet.rpc('eth_getTransactionReceipt', [receipt.transaction])).toBeNull()
  const reader = readerOf(response)
  expect(await next(reader)).toContain('Hello')
  expect(await statusOf(response)).toBe('settling')
  await devnet.setAutomine('on')
  await devnet.mine(1)
  expect(await rest(reader)).toContain('[DONE]')
  const id = response.headers.get('x-payment-id') ?? ''
  expect((await gateway.refunded(id)).status).toBe('completed')
})

test.each([
  [1, chatPath, /^data: \{"error":.*"code":"preconfirmation_lost"/],
  [2, '/v1/messages', /^event: error\ndata: \{"type":"error","error":\{"type":"api_error"/],
])(
  'a stream whose transfer is canceled after its preconfirmation is broken off (payer %i, %s)',
  async (payer, path, error) => {
    const called = upstream.arrived.length
    onCall = (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: 'Hello to you.' }))
    }
    const { v2, responding } = await send(payer, { path })
    const reader = readerOf(await responding)
    expect(await next(reader)).toContain('Hello')
    await cancelPayment(devnet, gateway.payer(payer), nonceOf(v2))
    await devnet.mine(1)
    const end = await rest(reader)
    expect(end).toMatch(error)
    expect(end).toContain('was preconfirmed, and is not proven')
    expect(end).not.toContain('[DONE]')
    expect(await statusOf(await responding)).toBe('rejected')
    await expect.poll(() => upstream.arrived[called]?.abortedAt).toBeGreaterThan(0)
  },
)

test('a client that disconnects before the proof is billed for what it was sent', async () => {
  onCall = (response) => {
    beginStream(response)
    response.write(chunk({ role: 'assistant', content: 'Hello to you.' }))
  }
  const response = await (await send(3)).responding
  const reader = readerOf(response)
  expect(await next(reader)).toContain('Hello')
  await reader.cancel()
  await expect.poll(() => upstream.arrived.at(-1)?.abortedAt).toBeGreaterThan(0)
  expect(await statusOf(response)).toBe('settling')
  await devnet.setAutomine('on')
  await devnet.mine(1)
  const { status, cost } = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
  expect([status, cost?.usdc]).toEqual(['completed', '1000'])
})

test('a JSON answer is one write, and waits for the proof', async () => {
  let shown = 0
  node.setShown((receipt) => {
    shown += 1
    return receipt
  })
  onCall = (response) => answerWith(response, 'Hello to you.', usage)
  const { responding } = await send(4, { stream: false })
  let hasAnswered = false
  void responding.then(() => (hasAnswered = true))
  await expect.poll(() => shown).toBeGreaterThan(0)
  expect(hasAnswered).toBe(false)
  await devnet.mine(1)
  const response = await responding
  expect(await response.text()).toContain('Hello to you.')
  expect(decoded(response.headers.get('payment-response'))).toMatchObject({ success: true })
})
