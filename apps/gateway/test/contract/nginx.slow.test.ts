import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

let gateway: TestGateway
let folder = ''
let url = ''
let proxy: ChildProcess | undefined

/** The shipped file with the addresses of this machine, within what the image of nginx has around it. */
async function configuration(port: number): Promise<string> {
  const shipped = await readFile(
    new URL('../../../../deploy/nginx/farebox.conf', import.meta.url),
    'utf8',
  )
  const { host } = new URL(gateway.url)
  const here = shipped
    .replace('server gateway-a:4020;', `server ${host};`)
    .replace('server gateway-b:4020;', '')
    .replace('estimator:4021', host)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('listen 8081;', `listen 127.0.0.1:${await freePort()};`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid;
    error_log ${folder}/error.log; events {} http { access_log off; ${paths.join(' ')} ${here} }`
}

beforeAll(async () => {
  if (found === undefined) return
  gateway = await openGateway({ RATE_LIMIT_PER_MINUTE: '8' })
  folder = await mkdtemp(join(tmpdir(), 'farebox-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, await configuration(port))
  execFileSync(nginx, ['-t', '-q', '-c', file, '-e', `${folder}/error.log`])
  proxy = spawn(nginx, ['-c', file, '-e', `${folder}/error.log`], { stdio: 'ignore' })
  url = `http://127.0.0.1:${port}`
  const isUp = () => fetch(`${url}/v1/health`)
  await vi.waitFor(isUp, { timeout: 10_000 })
})
afterAll(async () => {
  if (found === undefined) return
  proxy?.kill('SIGTERM')
  if (proxy !== undefined) await once(proxy, 'exit')
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
  'a forged X-Forwarded-For has no rate limit of its own',
  async () => {
    const statuses: number[] = []
    for (let index = 0; index < 10; index += 1) {
      statuses.push((await post({ 'X-Forwarded-For': `203.0.113.${index}` })).status)
    }
    expect(statuses.at(-1)).toBe(429)
  },
)
