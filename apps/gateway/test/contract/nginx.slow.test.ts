import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeServer, listen } from '@farebox/http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { announceSkip } from '../../../../scripts/testing/announce-skip.ts'
import { findOnPath } from '../../../../scripts/testing/find-binary.ts'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, signPayment } from '../support/sign-payment.ts'

const found = findOnPath('nginx') ?? (findOnPath('/usr/sbin/nginx') && '/usr/sbin/nginx')
if (found === undefined) announceSkip('nginx', 'install nginx')
const nginx = found ?? 'nginx'

const limit = 60

let gateway: TestGateway
let folder = ''
let url = ''
const proxies: ChildProcess[] = []

async function shippedFile(name: string): Promise<string> {
  return await readFile(new URL(`../../../../deploy/nginx/${name}`, import.meta.url), 'utf8')
}

/** The shipped files with the addresses of this machine, within what the image of nginx has around it. */
async function configuration(port: number, hosts: readonly [string, string]): Promise<string> {
  const shipped = `${await shippedFile('upstreams.conf')}${await shippedFile('farebox.conf')}`
  const here = shipped
    .replace('gateway-a:4020', hosts[0])
    .replace('gateway-b:4020', hosts[1])
    .replace('estimator:4021', hosts[0])
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('listen 8081;', `listen 127.0.0.1:${await freePort()};`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/${port}.pid;
    error_log ${folder}/error.log; events {} http { access_log off; ${paths.join(' ')} ${here} }`
}

beforeAll(async () => {
  if (found === undefined) return
  gateway = await openGateway({ RATE_LIMIT_PER_MINUTE: `${limit}` })
  folder = await mkdtemp(join(tmpdir(), 'farebox-nginx-'))
  const stopped = `127.0.0.1:${await freePort()}`
  url = await startNginx([new URL(gateway.url).host, stopped])
})

/** In front of two gateways; returns its URL. */
async function startNginx(hosts: readonly [string, string]): Promise<string> {
  const port = await freePort()
  const file = join(folder, `${port}.conf`)
  await writeFile(file, await configuration(port, hosts))
  execFileSync(nginx, ['-t', '-q', '-c', file, '-e', `${folder}/error.log`])
  proxies.push(spawn(nginx, ['-c', file, '-e', `${folder}/error.log`], { stdio: 'ignore' }))
  const at = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(at, { method: 'HEAD' }), { timeout: 60_000 })
  return at
}

afterAll(async () => {
  if (found === undefined) return
  for (const proxy of proxies) {
    proxy.kill('SIGTERM')
    await once(proxy, 'exit')
  }
  await gateway.stop()
  await rm(folder, { recursive: true, force: true })
})

const body = JSON.stringify({ ...chatOf('Count to twenty.'), stream: true })
const post = (headers: Readonly<Record<string, string>>) =>
  fetch(url + chatPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  })

// nginx leaves the stopped one out for ten seconds after its first failure, so it is the first test.
test.skipIf(found === undefined)(
  'requests reach the other gateway while one is stopped',
  async () => {
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await post({})).status),
    )
    expect(statuses).toEqual(Array(6).fill(402))
  },
)

test.skipIf(found === undefined)(
  'a 402 keeps its headers, and a paid stream arrives piece by piece',
  async () => {
    const asked = await post({})
    expect(asked.status).toBe(402)
    const [through, direct] = [
      asked.headers,
      (await fetch(gateway.url + chatPath, { method: 'POST', body })).headers,
    ].map((headers) => headers.get('payment-required')?.length ?? 0)
    // More than a fifth of nginx's own buffer for all headers, and the same as without it.
    expect(through).toBeGreaterThan(800)
    expect(Math.abs((through ?? 0) - (direct ?? 0))).toBeLessThan(32)

    gateway.sandbox?.setFaults([{ instruct: 'first_token_ms=5 tokens_per_second=40' }])
    const { v2 } = await signPayment(gateway, 0, { body: JSON.parse(body) })
    const paid = await post(v2)
    expect(paid.status).toBe(200)
    let pieces = 0
    for await (const piece of paid.body ?? []) if (piece.length > 0) pieces += 1
    expect(pieces).toBeGreaterThan(5)
  },
)

test.skipIf(found === undefined)(
  'a call whose gateway breaks the connection is not sent to the other one',
  async () => {
    let calls = 0
    const broken = createServer((request, response) => {
      if (request.method === 'HEAD') return void response.end()
      calls += 1
      request.resume().once('end', () => response.destroy())
    })
    const { host } = new URL(await listen(broken, { host: '127.0.0.1', port: 0 }))
    const at = await startNginx([host, host])
    const { status } = await fetch(at + chatPath, { method: 'POST', body })
    expect([status, calls]).toEqual([502, 1])
    await closeServer(broken)
  },
)

/** Sends raw bytes to nginx, and returns all that it answers until it closes the connection. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let received = ''
    socket.setEncoding('utf8').on('data', (part: string) => (received += part))
    socket.once('close', () => resolve(received))
    socket.once('error', reject)
  })
}

/** The status of a raw request, which may have a header twice. */
async function present(lines: readonly string[], path = chatPath): Promise<number> {
  const text = JSON.stringify(small)
  const head = ['Host: x', 'Content-Type: application/json', `Content-Length: ${text.length}`]
  const all = [`POST ${path} HTTP/1.1`, ...head, 'Connection: close', ...lines]
  return Number((await send(`${all.join('\r\n')}\r\n\r\n${text}`)).slice(9, 12))
}

const small = chatOf('Hello')

test.skipIf(found === undefined)(
  'two payments in one request pay for nothing through nginx either, and each still pays once',
  async () => {
    const signed = await Promise.all(
      [1, 2].map((payer) => signPayment(gateway, payer, { body: small })),
    )
    const [one, two] = signed.map(({ v2 }) => v2['PAYMENT-SIGNATURE'])
    const old = signed[1]?.v1['X-PAYMENT']
    const statuses = [
      await present([`PAYMENT-SIGNATURE: ${one}`, `PAYMENT-SIGNATURE: ${two}`]),
      await present([`PAYMENT-SIGNATURE: ${one}`, `payment-signature: ${one}`]),
      await present([`PAYMENT-SIGNATURE: ${one}, ${two}`]),
      await present([`X-PAYMENT: ${old}`, `X-PAYMENT: ${old}`]),
      await present([`PAYMENT-SIGNATURE: ${one}`, `X-PAYMENT: ${old}`]),
    ]
    expect(statuses).toEqual(statuses.map(() => 402))
    const payments = [`PAYMENT-SIGNATURE: ${one}`, `X-PAYMENT: ${old}`]
    expect([await present([payments[0]!]), await present([payments[1]!])]).toEqual([200, 200])
  },
)

test.skipIf(found === undefined)(
  'a header with underscores is neither a payment nor an address',
  async () => {
    const { v2 } = await signPayment(gateway, 3, { body: small })
    const signature = v2['PAYMENT-SIGNATURE']
    expect(await present([`PAYMENT_SIGNATURE: ${signature}`])).toBe(402)
    expect(await present([`PAYMENT_SIGNATURE: nonsense`, `PAYMENT-SIGNATURE: ${signature}`])).toBe(
      200,
    )
  },
)

test.skipIf(found === undefined)(
  'a payment of 12 KB reaches the gateway, which refuses it with its own body',
  async () => {
    const response = await post({ 'PAYMENT-SIGNATURE': 'A'.repeat(12_000) })
    expect(response.status).toBe(402)
    expect(await response.json()).toHaveProperty('accepts')
  },
)

const inner = 'POST /v1/estimate HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'

test.skipIf(found === undefined).each([
  ['both lengths', [`Content-Length: ${inner.length + 5}`, 'Transfer-Encoding: chunked']],
  ['two lengths', ['Content-Length: 5', `Content-Length: ${inner.length + 5}`]],
  ['an unknown encoding', ['Transfer-Encoding: xchunked']],
  ['an encoding twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
  ['a folded encoding', ['Transfer-Encoding:', ' chunked']],
  ['a space before the colon', ['Transfer-Encoding : chunked', `Content-Length: 5`]],
] as const)('a request with %s smuggles no other one through nginx', async (_, lines) => {
  const head = [`POST /v1/estimate HTTP/1.1`, 'Host: x', ...lines]
  const answer = await send(`${head.join('\r\n')}\r\n\r\n0\r\n\r\n${inner}`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([expect.stringMatching(/ (400|501)$/)])
})

// It uses up the limit, so it is the last one.
test.skipIf(found === undefined)(
  'a forged X-Forwarded-For has no rate limit of its own',
  async () => {
    const statuses: number[] = []
    for (let index = 0; index <= limit; index += 1) {
      const forged = `203.0.113.${index}`
      const lines = [`X-Forwarded-For: ${forged}`, `X-Forwarded-For: 127.0.0.${index}, ${forged}`]
      const others = [
        `X_Forwarded_For: ${forged}`,
        `X-Real-IP: ${forged}`,
        `Forwarded: for=${forged}`,
      ]
      statuses.push(await present([...lines, ...others], '/v1/estimate'))
    }
    // Not only the last one: an earlier request may just have left the window, so that one more passes.
    expect(statuses).toContain(429)
  },
)
