import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, type RpcRule, startRpcFaults } from '@farebox/devnet/faults'
import type { Logger } from '@farebox/http/log'
import { paymentNetwork } from '@farebox/payments'
import { createChainReader } from '@farebox/payments/chain'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { WrongChainError } from '../../src/compose/monitor-dependencies.ts'
import { createChainCheck } from '../../src/dependencies/check-chain.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

let devnet: Devnet
let node: RpcFaults
let gateway: TestGateway | undefined
beforeAll(async () => {
  devnet = await startDevnet()
  // A port that stays free while the node is stopped.
  node = await startRpcFaults({ target: devnet.rpcUrl, port: await freePort() })
})
afterEach(async () => {
  await gateway?.stop()
  gateway = undefined
  node.setRule()
})
afterAll(async () => {
  await node.stop()
  await devnet.stop()
})

const refuses: RpcRule = () => ({ kind: 'refuse' })
const body = chatOf('Hello.')

async function open(
  environment: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<TestGateway> {
  gateway = await openGatewayOn({ ...devnet, rpcUrl: node.url }, environment, logger)
  return gateway
}

async function read({ url }: TestGateway, path: string): Promise<{ status: number; body: object }> {
  const response = await fetch(url + path)
  return { status: response.status, body: (await response.json()) as object }
}

test('a node that is down at the start degrades the gateway, which sells once the node is back', async () => {
  node.setRule(refuses)
  const opened = await open()
  const degraded = { status: 'degraded', issues: ['chain_unavailable'] }
  for (const path of ['/health', '/v1/health']) {
    expect(await read(opened, path)).toMatchObject({
      status: 200,
      body: { ...degraded, dependencies: { chain: 'unavailable', database: 'ok' } },
    })
  }
  expect(await read(opened, '/ready')).toEqual({
    status: 503,
    body: { ready: false, issues: ['chain_unavailable'] },
  })
  for (const [path, asked] of [
    [chatPath, body],
    [imagePath, { prompt: 'A cat' }],
  ] as const) {
    const unsold = await post(opened, path, { body: asked })
    expect([unsold.status, unsold.headers.get('retry-after')]).toEqual([503, '10'])
    expect(unsold.headers.has('payment-required')).toBe(false)
    expect(await unsold.text()).toContain('payments_unavailable')
  }

  node.setRule()
  await expect.poll(() => read(opened, '/ready')).toEqual({ status: 200, body: { ready: true } })
  expect((await buy(opened, 0, { body })).status).toBe(200)
})

test('a payment that was signed before the node stopped is refused without being claimed, and the outage is logged once', async () => {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => lines.push(line) })
  const metricsPort = await freePort()
  const opened = await open({ METRICS_PORT: String(metricsPort) }, logger)
  const { v2 } = await signPayment(opened, 1, { body })
  const { port } = new URL(node.url)
  await node.stop()
  await expect.poll(() => read(opened, '/ready')).toMatchObject({ status: 503 })
  expect((await post(opened, chatPath, { body, headers: v2 })).status).toBe(503)
  await expect.poll(() => faultsCounted(metricsPort)).toBeGreaterThan(2)
  node = await startRpcFaults({ target: devnet.rpcUrl, port: Number(port) })
  await expect.poll(() => read(opened, '/ready')).toMatchObject({ status: 200 })
  expect((await post(opened, chatPath, { body, headers: v2 })).status).toBe(200)

  const logged = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const reason = `the request to 127.0.0.1:${port} failed: connect ECONNREFUSED 127.0.0.1:${port}`
  const outage = logged.filter(({ event }) => String(event).startsWith('dependency_'))
  expect(outage).toEqual([
    {
      level: 40,
      time: expect.any(Number) as number,
      event: 'dependency_down',
      name: 'chain',
      status: 'unavailable',
      reason: `Could not read the chain id from the chain: ${reason}`,
    },
    { level: 30, time: expect.any(Number) as number, event: 'dependency_up', name: 'chain' },
  ])
  const faults = logged.filter(({ event }) => event === 'fault')
  expect(faults.length).toBeGreaterThan(0)
  expect(new Set(faults.map(({ during }) => during)).size).toBe(faults.length)
  for (const fault of faults) {
    const said = expect.stringMatching(/^Could not read .* from the chain: /) as string
    expect(fault).toMatchObject({ level: 40, code: 'chain_unavailable', reason: said })
    expect(fault).not.toHaveProperty('err')
  }
})

async function faultsCounted(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/farebox_payment_events_total\{event="fault"\} (\d+)/.exec(metrics)?.[1] ?? 0)
}

test('a node that becomes one of another chain, without a failure between, stops sales until it is right', async () => {
  const opened = await open()
  const { v2 } = await signPayment(opened, 2, { body })
  node.setRule(({ method }) =>
    method === 'eth_chainId' ? { kind: 'result', result: '0x1' } : undefined,
  )
  const wrong = { status: 503, body: { ready: false, issues: ['chain_wrong'] } }
  await expect.poll(() => read(opened, '/ready')).toEqual(wrong)
  expect((await post(opened, chatPath, { body, headers: v2 })).status).toBe(503)
  node.setRule()
  await expect.poll(() => read(opened, '/ready')).toMatchObject({ status: 200 })
  expect((await post(opened, chatPath, { body, headers: v2 })).status).toBe(200)
})

test.each([
  ['another chain', 'eth_chainId', '0x1', /RPC_URL is chain 1, but NETWORK=devnet requires chain/],
  ['another token', 'eth_call', '0x', /RPC_URL has a different token: the name of 0x/],
] as const)('a node of %s is a configuration error', async (_, method, result, message) => {
  node.setRule((call) => (call.method === method ? { kind: 'result', result } : undefined))
  const started = open()
  await expect(started).rejects.toThrow(WrongChainError)
  await expect(started).rejects.toThrow(message)
})

test('a clock far behind or ahead of the latest block of a live network is a failure of the chain, with a reason for each', async () => {
  const network = paymentNetwork('base-sepolia')
  const { timestamp } = await createChainReader({ rpcUrl: devnet.rpcUrl }).head()
  const checkAt = (seconds: number) =>
    createChainCheck({
      rpcUrl: devnet.rpcUrl,
      network,
      now: () => (timestamp + seconds) * 1000,
    })()
  const failed = (reason: string) => ({ status: 'unavailable', reason })
  expect(await checkAt(-60)).toEqual({ status: 'ok' })
  expect(await checkAt(120)).toEqual({ status: 'ok' })
  expect(await checkAt(-3600)).toEqual(
    failed(
      'the clock of this machine is 3600 seconds behind the latest block of the node: set it by NTP',
    ),
  )
  expect(await checkAt(3600)).toEqual(
    failed(
      'the latest block of the node is 3600 seconds old: the node has stopped following the chain, or the clock of this machine is ahead',
    ),
  )
})
