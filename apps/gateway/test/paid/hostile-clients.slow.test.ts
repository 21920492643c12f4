// Faster tests of the same: calls-at-rest.test.ts of payments, and the tests of bodies in http.
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Devnet, startDevnet, writeDevnetFile } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayProcess, runGateway, withFolder } from '../contract/run-gateway.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let devnet: Devnet
let node: RpcFaults
let running: GatewayProcess
let url: string
let finish: () => void = () => undefined

beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
  node = await startRpcFaults({ target: devnet.rpcUrl })
  const stopped = new Promise<void>((resolve) => (finish = resolve))
  await new Promise<void>((opened, failed) => {
    withFolder(async (folder) => {
      await writeDevnetFile(join(folder, 'devnet.json'), devnet)
      const environment = { PORT: '0', DATA_DIR: folder, RPC_URL: node.url }
      running = runGateway([], { ...environment, RATE_LIMIT_PER_MINUTE: '100000' })
      url = await running.url
      opened()
      await stopped
    }).catch(failed)
  })
})
afterAll(async () => {
  running.child.kill('SIGTERM')
  await running.ended
  finish()
  await node.stop()
  await devnet.stop()
})

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Calls a second without any request. */
async function callsAtRest(): Promise<number> {
  const seconds = 20
  const before = node.calls.length
  await pause(seconds)
  return (node.calls.length - before) / seconds
}

test('a thousand refused signatures cause no calls to the node at rest', async () => {
  const body = chatOf('x')
  const before = await callsAtRest()
  const present = async (): Promise<number> => {
    const stranger = { url, account: () => privateKeyToAccount(generatePrivateKey()) }
    const { v2 } = await signPayment(stranger, 0, { body })
    return (await post({ url }, chatPath, { body, headers: v2 })).status
  }
  for (let group = 0; group < 100; group += 1) {
    expect(new Set(await Promise.all(Array.from({ length: 10 }, present)))).toEqual(new Set([402]))
  }
  const after = await callsAtRest()
  process.stderr.write(`calls to the node a second: ${before} before, ${after} after\n`)
  // A busy machine may poll less at first. A thousand keys that are watched would add a hundred calls.
  expect(after).toBeLessThan(before + 50)
}, 300_000)

/** Resident memory in MB. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${running.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function declareBody(): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await new Promise((resolve) => socket.once('connect', resolve))
  const head = ['POST /v1/chat/completions HTTP/1.1', 'Host: a', 'Content-Length: 67108864']
  socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n{`)
  socket.resume()
  return socket.on('error', () => undefined)
}

test.runIf(process.platform === 'linux')(
  'a hundred connections that declare 64 MB and stay silent hold little memory for a short time',
  async () => {
    await post({ url }, chatPath, { body: chatOf('x') })
    const before = await memory()
    const begun = performance.now()
    const sockets = await Promise.all(Array.from({ length: 100 }, declareBody))
    const closed = Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    )
    await pause(2)
    const held = (await memory()) - before
    expect((await post({ url }, chatPath, { body: chatOf('x') })).status).toBe(402)
    await closed
    const seconds = (performance.now() - begun) / 1000
    process.stderr.write(
      `100 silent connections: ${held.toFixed(1)} MB more, closed after ${seconds.toFixed(1)} s\n`,
    )
    expect(held).toBeLessThan(32)
    expect(seconds).toBeLessThan(45)
  },
)
