// Faster tests of the same: read-json-body, context-length, breaker and calls-at-rest.
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath, post } from '../support/sign-payment.ts'
import {
  type Attacked,
  attackedOn,
  figure,
  pause,
  processorTime,
  signedFor,
  statusOf,
  unpaidStatus,
} from './attacked-gateway.ts'

const body = chatOf('hello', { model: 'openai/gpt-4.1' })
const state = { isDown: false }
const failuresToOpen = 20

let upstream: UpstreamServer
let node: RpcFaults
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => {
      if (state.isDown) response.writeHead(500).end()
      else answerWith(response, 'hello', { prompt_tokens: 8, completion_tokens: 5 })
    },
  })
  const devnet = await startDevnet({ payers: failuresToOpen + 1 })
  node = await startRpcFaults({ target: devnet.rpcUrl })
  gateway = await attackedOn(devnet, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    RPC_URL: node.url,
  })
})
afterAll(async () => {
  await gateway.stop()
  await node.stop()
  await gateway.devnet.stop()
  upstream.close()
})

/** Calls a second without any request. */
async function callsAtRest(seconds: number): Promise<number> {
  const before = node.calls.length
  await pause(seconds)
  return (node.calls.length - before) / seconds
}

test('two hundred signatures of empty keys', async () => {
  await pause(3)
  const before = await callsAtRest(10)
  for (let group = 0; group < 20; group += 1) {
    const presented = Array.from({ length: 10 }, async () => {
      const privateKey = generatePrivateKey()
      const payer = { privateKey, address: privateKeyToAddress(privateKey) }
      return await post(gateway, chatPath, {
        body,
        headers: await signedFor(gateway, { payer, body }),
      })
    })
    await Promise.all(presented)
  }
  await pause(3)
  const after = await callsAtRest(20)
  figure(`two hundred empty keys: ${before} calls to the node a second before, ${after} after`)
  // A busy machine may poll less at first. Two hundred keys that are watched would add twenty calls.
  expect(after).toBeLessThan(before + 10)
})

async function declareBody(): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  await new Promise((resolve) => socket.once('connect', resolve))
  const head = ['POST /v1/chat/completions HTTP/1.1', 'Host: a', 'Content-Length: 67108864']
  socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n`)
  socket.resume()
  return socket.on('error', () => undefined)
}

test('four connections that declare 64 MB and send nothing', async () => {
  const sockets = await Promise.all(Array.from({ length: 4 }, declareBody))
  await pause(1)
  const statuses: number[] = []
  for (let second = 0; second < 5; second += 1) {
    statuses.push(await unpaidStatus(gateway, body))
    await pause(1)
  }
  for (const socket of sockets) socket.destroy()
  await pause(0.5)
  figure(`during four silent connections: ${statuses.join()}`)
  expect(new Set(statuses)).toEqual(new Set([402]))
})

const letterOf = (digit: string) => String.fromCharCode(103 + Number(digit))

/** Processor time of one request among three, in milliseconds. */
async function timeOfEach(text: string): Promise<number> {
  const before = await processorTime(gateway)
  for (let asked = 0; asked < 3; asked += 1) {
    await (await post(gateway, '/v1/estimate', { body: text })).arrayBuffer()
  }
  return ((await processorTime(gateway)) - before) / 3
}

/** The same text for a model that is not sold: it is read, and nothing is counted. */
const ofNoModel = (text: string) => text.replace('openai/gpt-4o-mini', 'openai/no-such-model')

test('ten million random letters, without a payment', async () => {
  const messages = Array.from({ length: 98 }, () => ({
    role: 'user',
    content: randomBytes(50_000).toString('hex').replaceAll(/[0-9]/g, letterOf),
  }))
  const text = JSON.stringify({ model: 'openai/gpt-4o-mini', max_tokens: 1, messages })
  const status = await unpaidStatus(gateway, text)
  const [read, each] = [await timeOfEach(ofNoModel(text)), await timeOfEach(text)]
  figure(`9.8 MB of random letters: ${status}, ${each} ms of processor time each, ${read} to read`)
  expect(each).toBeLessThan(3 * read)
})

test('sixty megabytes of escapes, without a payment', async () => {
  const messages = Array.from({ length: 100 }, () => ({ role: 'user', content: '@' }))
  const text = JSON.stringify({ model: 'openai/gpt-4o-mini', max_tokens: 1, messages })
  const escaped = text.replaceAll('@', '\\u0061'.repeat(100_000))
  const plain = text.replaceAll('@', 'a'.repeat(600_000))
  const [read, used] = [await timeOfEach(ofNoModel(plain)), await timeOfEach(escaped)]
  figure(`60 MB of escapes: ${used} ms of processor time each, ${read} to read 60 MB of letters`)
  expect(used).toBeLessThan(2 * read)
})

test('worthless payments at a provider that was down', async () => {
  const [honest, ...others] = gateway.devnet.payers
  state.isDown = true
  await Promise.all(
    others.slice(0, failuresToOpen).map((payer) => statusOf(gateway, { payer, body })),
  )
  const flood = setInterval(() => {
    const headers = { 'X-PAYMENT': Buffer.from('{}').toString('base64') }
    void post(gateway, chatPath, { body, headers }).then((response) => response.arrayBuffer())
  }, 20)
  state.isDown = false
  const begun = performance.now()
  const wanted = () => statusOf(gateway, { payer: honest!, body }).catch(() => 503)
  while ((await wanted()) !== 200 && performance.now() - begun < 60_000) await pause(0.2)
  clearInterval(flood)
  const seconds = (performance.now() - begun) / 1000
  figure(`among worthless payments an honest one is served after ${seconds.toFixed(1)} s`)
  // A provider that stays closed does not serve, however long it is asked.
  expect(seconds).toBeLessThan(45)
})
