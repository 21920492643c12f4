import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appProgram } from '../../../scripts/testing/app-program.ts'
import { rememberPayment } from '../src/wallet/payment-history.ts'
import { rememberingFetch } from '../src/wallet/remembering-fetch.ts'
import { recordOf } from './support/record-of.ts'
import { type Run, runFarebox } from './support/run-farebox.ts'

/** Begins a control sequence, with one character each of C0 and C1, and reverses the text after it. */
const control = '\u001b[8m\u009b2K\u202e'
const shown = '?[8m?2K?'
const estimate = {
  model: 'm',
  estimatedInputTokens: 1,
  estimatedOutputTokens: 1,
  estimatedCost: { usd: '0.0009', note: '' },
  message: '',
}

/** Knows one payment, and gives one with a control character for each call. */
const gateway = createServer(({ url = '' }, response) => {
  const type = { 'content-type': 'application/json' }
  const paid = { ...type, 'x-payment-id': 'pay_\u009b2K' }
  switch (url) {
    case '/v1/estimate':
      return response.writeHead(200, type).end(JSON.stringify(estimate))
    case '/v1/chat/completions':
      response.writeHead(200, { ...paid, 'content-type': 'text/event-stream' })
      response.write(':\n\n', () => response.destroy())
      return
    case '/v1/responses':
      return response.writeHead(200, paid).end('{}')
    case '/v1/payments/pay_2':
      return response
        .writeHead(500, type)
        .end(JSON.stringify({ error: { code: 'internal_error', message: `No${control}.` } }))
    default:
      return response.writeHead(200, type).end(JSON.stringify(record))
  }
})
let folder: string
/** In place of the folder of the state: nothing can be remembered. */
let blocked: string
let environment: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-control-'))
  blocked = join(folder, 'file')
  await writeFile(blocked, '')
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  environment = { FAREBOX_URL: url, XDG_STATE_HOME: folder }
})
afterAll(async () => {
  gateway.close()
  gateway.closeAllConnections()
  await rm(folder, { recursive: true })
})

const wallet = { FAREBOX_PRIVATE_KEY: `0x${'1'.repeat(64)}` }

const farebox = (args: readonly string[], run: Partial<Run> = {}) =>
  runFarebox(args, { environment, ...run })

test('JSON escapes control characters, and keeps their values', async () => {
  const { out } = await farebox(['payments', 'pay_1', '--json'])
  expect(out).toContain(String.raw`"model": "m\u001b[8m\u009b2K\u202e"`)
  expect(JSON.parse(out)).toEqual(record)
})

test('why a payment of the list cannot be read is shown without control characters', async () => {
  const url = environment['FAREBOX_URL'] ?? ''
  for (const id of ['pay_1', 'pay_2']) {
    await rememberPayment({ url, id, at: '2026-01-02' }, environment)
  }
  const { notes } = await farebox(['payments'])
  expect(notes).toContain(`No${shown}.`)
})

test('the error that ends the program is shown without control characters', async () => {
  const program = [...appProgram('farebox'), 'payments', 'pay_2']
  const child = spawn(process.execPath, program, { env: { ...process.env, ...environment } })
  const [notes] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(notes).toContain(`farebox: No${shown}.`)
})

test('a deposit that cannot be remembered is named without control characters', async () => {
  const notes: string[] = []
  const io = {
    environment: { XDG_STATE_HOME: blocked },
    write: expect.unreachable,
    note: (note: string) => notes.push(note),
    progress: expect.unreachable,
    colors: false,
    lines: undefined,
    piped: async () => '',
    signal: new AbortController().signal,
  }
  const extra = { channelState: { channelId: '0x1' } }
  const receipt = { transaction: `0x${control}`, amount: '1', extra }
  const header = Buffer.from(JSON.stringify(receipt)).toString('base64')
  const answer = async () => new Response('', { headers: { 'payment-response': header } })
  await rememberingFetch(answer, 'http://127.0.0.1', io)('http://127.0.0.1')
  expect(notes.join()).toMatch(/^The deposit 0x\?\[8m\?2K\? is not in `farebox payments`: /)
})

test('a call that did not finish names its payment without control characters', async () => {
  const { notes } = await farebox(['chat', 'Hello'], {
    environment: { ...environment, ...wallet, XDG_STATE_HOME: blocked },
  })
  expect(notes).toContain('Payment pay_?2K is not in `farebox payments`: ')
  expect(notes).toContain('The call did not finish. `farebox payments pay_?2K` shows its cost')
})

test('the proxy names the model and the payment of a call without control characters', async () => {
  const stopped = new AbortController()
  const called = Promise.withResolvers<unknown>()
  const running = farebox(['proxy', '--port', '0', '--no-key', '--no-channel'], {
    environment: { ...environment, ...wallet },
    signal: stopped.signal,
    onWrite: (written) => {
      const [url] = /^http:\S+/.exec(written) ?? []
      if (url !== undefined) called.resolve(call(url))
    },
  })
  await called.promise
  stopped.abort()
  expect((await running).notes).toContain(`m${shown}, cost 0.001 USDC`)
  expect((await running).notes).toContain('pay_?2K')
})

async function call(proxyUrl: string): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  await (await fetch(`${proxyUrl}/v1/responses`, init)).text()
}

const record = { ...recordOf('pay_1'), model: `m${control}` }
