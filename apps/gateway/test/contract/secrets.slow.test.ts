// Of errors about a node: packages/payments/test/chain/redaction.test.ts. Of a process whose node and
// facilitator work: providers.test.ts.
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFault, startFaultyFacilitator, startRpcFaults } from '@farebox/devnet/faults'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import { type GatewayProcess, runGateway, withFolder } from './run-gateway.ts'
import { answerWith, openUpstream } from './upstream-server.ts'

const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const apiKeySecret = (() => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString(
    'base64',
  )
})()
const parts = ['UserKey789', 'PassKey012', 'PathKey123', 'QueryKey456'] as const
const secretsOfNode = parts.map((part) => `node${part}`)
const secretsOfFacilitator = parts.map((part) => `facilitator${part}`)
const providerKey = 'sk-canary-provider-6b1f'
const redisPassword = 'redisPassKey345'

function withSecrets(url: string, [user, password, path, query]: readonly string[]): string {
  return `${url.replace('//', `//${user}:${password}@`)}/v3/${path}?token=${query}`
}

/** A facilitator that wants secrets, and repeats what it was sent while it fails. */
async function startFacilitator({ rpcUrl, relayer }: Devnet) {
  const real = await startFaultyFacilitator({ rpcUrl, relayerKey: relayer.privateKey })
  ends.push(real.stop)
  const state: { echo: 'http' | 'reason' | undefined; failed: number } = {
    echo: undefined,
    failed: 0,
  }
  const tokens: string[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url, headers, method } = request
    const name = url?.match(/(supported|settle)\?token=/)?.[1]
    const { authorization = '' } = headers
    tokens.push(authorization.split(' ')[1] ?? '')
    const echo = `${url} ${JSON.stringify(headers)} ${authorization} ${secretsOfFacilitator.join(' ')}`
    if (state.echo !== undefined) state.failed += 1
    if (state.echo === 'http') return void response.writeHead(500).end(echo)
    if (state.echo === 'reason' && name === 'settle') {
      const refusal = { success: false, errorReason: echo, transaction: '' }
      return void response.end(JSON.stringify(refusal))
    }
    const body = method === 'POST' ? JSON.stringify(await json(request)) : null
    const answer = await fetch(`${real.url}/${name}`, { method: method ?? 'GET', body })
    response.writeHead(answer.status).end(await answer.text())
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  ends.push(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, state, tokens }
}

const body = {
  model: 'own/model',
  messages: [{ role: 'user', content: 'json' }],
  max_tokens: 1000,
}

async function fixtures(folder: string) {
  const devnet = await startDevnet({ payers: 4 })
  ends.push(devnet.stop)
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  ends.push(node.stop)
  const facilitator = await startFacilitator(devnet)
  const upstream = await openUpstream({
    json: (response) => {
      answerWith(response, 'fine', { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 })
    },
    refuse: (response, { authorization }) =>
      response.writeHead(401).end(JSON.stringify({ error: { message: authorization } })),
  })
  ends.push(upstream.close)
  const models = join(folder, 'models.json')
  const price = { input: '1', output: '2' }
  const model = { id: 'own/model', contextLength: 8192, maxOutputTokens: 4096, price }
  await writeFile(models, JSON.stringify({ models: [model] }))
  const metricsPort = await freePort()
  const environment = {
    PORT: '0',
    METRICS_PORT: String(metricsPort),
    DATA_DIR: folder,
    LOG_LEVEL: 'trace',
    RPC_URL: withSecrets(node.url, secretsOfNode),
    TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
    RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    FACILITATOR_URL: withSecrets(facilitator.url, secretsOfFacilitator),
    CDP_API_KEY_ID: 'organizations/x/apiKeys/y',
    CDP_API_KEY_SECRET: apiKeySecret,
    REDIS_URL: `redis://user:${redisPassword}@127.0.0.1:1`,
    CUSTOM_PROVIDER_BASE_URL: upstream.url,
    CUSTOM_PROVIDER_API_KEY: providerKey,
    CUSTOM_PROVIDER_MODELS: models,
    REFUND_MIN_USDC: '0.000001',
  }
  return { devnet, node, facilitator, environment }
}

function linesWith(running: GatewayProcess, event: string): number {
  return running.output().split(`"event":"${event}"`).length - 1
}

test('no key of node, facilitator, provider, Redis, treasury or relayer is written or sent while each of them fails', async () => {
  await withFolder(async (folder) => {
    const { devnet, node, facilitator, environment } = await fixtures(folder)
    const echo = secretsOfNode.join(' ')
    const failNode = (fault: RpcFault, methods?: RegExp): void =>
      node.setRule(({ method }) => (methods?.test(method) === false ? undefined : fault))
    const seen: string[] = []
    const read = async (answer: Response): Promise<Response> => {
      seen.push(await answer.clone().text(), JSON.stringify([...answer.headers]))
      return answer
    }

    failNode({ kind: 'status', status: 503, body: echo })
    const running = runGateway([], environment)
    const url = await running.url
    const metricsUrl = `http://127.0.0.1:${environment.METRICS_PORT}/metrics`
    const payer = {
      url,
      account: (index: number) => privateKeyToAccount(devnet.payers[index]!.privateKey),
    }
    const look = async (): Promise<void> => {
      await read(await fetch(`${url}/v1/health`))
      await read(await fetch(metricsUrl))
      await read(await post({ url }, chatPath, { body }))
    }
    const wanting = (content: string) => ({ ...body, messages: [{ role: 'user', content }] })
    const sign = async (index: number, content = 'json') => {
      const { v2: headers } = await signPayment(payer, index, { body: wanting(content) })
      return async () =>
        await read(await post({ url }, chatPath, { body: wanting(content), headers }))
    }
    await look()
    expect(linesWith(running, 'dependency_down')).toBeGreaterThan(0)
    for (const command of ['doctor', 'audit']) {
      const { code, stdout, stderr } = await runGateway([command], environment).ended
      seen.push(stdout, stderr)
      expect(code).toBe(1)
    }
    node.setRule()
    await expect.poll(async () => (await post({ url }, chatPath, { body })).status).toBe(402)

    for (const [index, kind] of (['http', 'reason'] as const).entries()) {
      const buy = await sign(index)
      facilitator.state.echo = kind
      expect((await buy()).status).toBe(503)
      await look()
      facilitator.state.echo = undefined
      await expect.poll(async () => (await post({ url }, chatPath, { body })).status).toBe(402)
    }
    expect(facilitator.state.failed).toBeGreaterThan(1)

    const [refused, bought] = [await sign(2, 'refuse'), await sign(3)]
    failNode({ kind: 'error', code: -32000, message: echo }, /^eth_(sendRaw|estimateGas)/)
    const served = await bought()
    expect(served.status).toBe(200)
    expect((await refused()).status).toBeGreaterThanOrEqual(500)
    await expect
      .poll(() => linesWith(running, 'refunds_paused') + linesWith(running, 'fault'))
      .toBeGreaterThan(0)
    await look()
    node.setRule()
    const record = `${url}/v1/payments/${served.headers.get('x-payment-id')}`
    await expect
      .poll(async () => (await (await read(await fetch(record))).json()).refund.status, {
        timeout: 50_000,
        interval: 500,
      })
      .toBe('confirmed')

    failNode({ kind: 'garbage', body: `<html>${echo}` })
    await look()
    running.child.kill('SIGTERM')
    const { stdout, stderr } = await running.ended
    seen.push(stdout, stderr)

    const all = seen.join('\n')
    const { treasury, relayer } = devnet
    for (const secret of [
      ...secretsOfNode,
      ...secretsOfFacilitator,
      ...facilitator.tokens.filter((token) => token !== ''),
      apiKeySecret,
      providerKey,
      redisPassword,
      treasury.privateKey.slice(2),
      relayer.privateKey.slice(2),
    ]) {
      expect(all.includes(secret), secret).toBe(false)
    }
  })
})
