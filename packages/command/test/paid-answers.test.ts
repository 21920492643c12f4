import { rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { rememberPayment } from '../src/wallet/payment-history.ts'
import { recordOf } from './support/record-of.ts'
import { type Output, runFarebox } from './support/run-farebox.ts'

const stage = gatewayStage()
const model = ['-m', 'openai/gpt-4.1-mini', '--max-tokens', '2000']

/** Answers in place of the gateway; `false` to pass the request on. */
let instead: (path: string, response: ServerResponse) => boolean
let asked: string[]
let url: string
const between = createServer((request, response) => {
  const { url: path = '', method, headers } = request
  asked.push(`${path}${headers['payment-signature'] === undefined ? '' : ' paid'}`)
  if (instead(path, response)) return
  const passed = send(`${stage.url}${path}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  request.pipe(passed)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
})
beforeEach(() => {
  instead = () => false
  asked = []
})
afterAll(() => {
  between.close()
  between.closeAllConnections()
})

async function farebox(
  args: readonly string[],
  lines?: readonly string[],
  signal?: AbortSignal,
): Promise<Output> {
  const environment = {
    FAREBOX_URL: url,
    DATA_DIR: stage.folder,
    XDG_STATE_HOME: join(stage.folder, 'state'),
  }
  return await runFarebox(args, { environment, lines, signal })
}

/** The gateway is gone once the answer has been given. */
function loseRecords(path: string, response: ServerResponse): boolean {
  if (!path.startsWith('/v1/payments/')) return false
  response.destroy()
  return true
}

const unknownCost =
  /The cost is not known yet\. http:\S+ could not be reached\. `farebox payments pay_\w+` shows it\.\n$/

test('an answer that was paid for is written although its record cannot be read', async () => {
  instead = loseRecords
  const json = await farebox(['chat', 'Hello', '--json', ...model])
  expect(json.status).toBe(0)
  expect(JSON.parse(json.out)).toMatchObject({
    completion: { object: 'chat.completion' },
    payment: null,
  })
  expect(json.notes).toMatch(unknownCost)
  expect(json.notes).not.toContain('nothing was paid')
})

test('images that were paid for are listed although their record cannot be read', async () => {
  instead = loseRecords
  const path = join(stage.folder, 'kept.png')
  const image = await farebox(['image', 'A cat', '--width', '128', '--height', '128', '-o', path])
  expect(image).toMatchObject({ status: 0, out: `${path}\n` })
  expect(image.notes).toMatch(unknownCost)
})

test('an image whose folder is gone when it is paid for is saved elsewhere', async () => {
  const folder = join(stage.folder, 'gone')
  await mkdir(folder)
  const name = `gone-${process.pid}.png`
  instead = (path) => {
    if (path === '/v1/images/generate') rmSync(folder, { recursive: true, force: true })
    return false
  }
  const out = join(folder, name)
  const image = await farebox(['image', 'A cat', '--width', '128', '--height', '128', '-o', out])
  const saved = join(tmpdir(), name)
  expect(image).toMatchObject({ status: 0, out: `${saved}\n` })
  expect(image.notes).toContain(`${out} cannot be written (ENOENT).`)
  expect((await readFile(saved)).subarray(1, 4).toString('latin1')).toBe('PNG')
  await rm(saved)
})

test('images that can be saved nowhere are each noted, with their payment, and a failure', async () => {
  const folder = join(stage.folder, 'lost')
  await mkdir(folder)
  // The longest name of a file: if it is taken, no numbered one fits.
  const name = `${`lost-${process.pid}-`.padEnd(251, 'w')}.png`
  const taken = join(tmpdir(), name)
  await writeFile(taken, '')
  instead = (path) => {
    if (path === '/v1/images/generate') rmSync(folder, { recursive: true, force: true })
    return false
  }
  const out = join(folder, name)
  const size = ['--width', '128', '--height', '128']
  const image = await farebox(['image', 'A cat', '-n', '2', ...size, '-o', out])
  await rm(taken)
  expect(image.status).toBe(1)
  expect(image.notes.split(`${out} cannot be written (ENOENT).`)).toHaveLength(3)
  expect(image.notes.split(`${taken} cannot be written (ENAMETOOLONG).`)).toHaveLength(3)
  expect(image.notes).toMatch(/^cost .* USDC, paid .*, pay_\w+$/m)
  expect(image.notes).toContain('2 of 2 images could not be saved.')
})

test('an image without bytes that was paid for is given by its address', async () => {
  instead = (path, response) => {
    if (!path.startsWith('/v1/images/generate') || asked.at(-1)?.endsWith('paid') !== true) {
      return false
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        model: 'm',
        dimensions: '128×128',
        images: [{ url: 'https://pictures.example/cat.png' }],
        number_of_images: 1,
        cost: { usd: '0.001', usdc: '1000' },
      }),
    )
    return true
  }
  const { out, notes, status } = await farebox(['image', 'A cat', '-o', stage.folder])
  expect(status).toBe(0)
  expect(out).toBe('https://pictures.example/cat.png\n')
  expect(notes).toContain('The gateway did not name the payment: the call counts at its price.')
})

test('a conversation that is stopped while it waits for a question is not done', async () => {
  const interrupted = new AbortController()
  const { out, notes, status } = await runFarebox(['chat', ...model], {
    environment: {
      FAREBOX_URL: url,
      DATA_DIR: stage.folder,
      XDG_STATE_HOME: join(stage.folder, 'state'),
    },
    lines: [],
    signal: interrupted.signal,
    onWrite: () => interrupted.abort(),
  })
  expect(out).toBe('> \n')
  expect(notes).toContain('AbortError')
  expect(status).not.toBe(0)
})

test('a conversation continues after a turn that failed, without that turn', async () => {
  let turns = 0
  instead = (path, response) => {
    if (path !== '/v1/estimate') return false
    turns += 1
    if (turns !== 2) return false
    response.writeHead(429, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: 'Too many requests', code: 'RATE_LIMITED' }))
    return true
  }
  const { out, notes, status } = await farebox(['chat', ...model], ['One', 'Two', 'Three'])
  expect(status).toBe(0)
  expect(notes).toContain('farebox: Too many requests.')
  expect(out.match(/This is the Farebox sandbox/g)).toHaveLength(2)
  expect(asked.filter((path) => path === '/v1/chat/completions paid')).toHaveLength(2)
})

test('a paid request that is not decided says what is waited for, each reason once', async () => {
  const answers = [
    [503, { 'retry-after': '0' }],
    [503, { 'retry-after': '0' }],
    [502, {}],
  ] as const
  let paid = 0
  instead = (_, response) => {
    if (asked.at(-1) !== '/v1/chat/completions paid') return false
    const [status, headers] = answers[paid] ?? []
    paid += 1
    if (status === undefined) return false
    response.writeHead(status, { ...headers, 'x-payment-id': 'pay_1' }).end('{}')
    return true
  }
  const { out, notes, status } = await farebox(['chat', 'Hello', ...model])
  expect(status).toBe(0)
  expect(out).toContain('This is the Farebox sandbox')
  expect(paid).toBe(4)
  expect(notes.match(/has not decided yet \(503\)\. The same payment is sent again/g)).toHaveLength(
    1,
  )
  expect(notes.match(/A proxy answers in place of the gateway \(502\)/g)).toHaveLength(1)
})

test.each([
  ['chat', 'Hello', '--json', ...model],
  ['image', 'A cat', '--width', '128', '--height', '128'],
])('an interrupted call whose payment was sent says what was paid: %s', async (...args) => {
  const interrupted = new AbortController()
  instead = () => {
    if (asked.at(-1)?.endsWith(' paid') !== true) return false
    interrupted.abort()
    return true
  }
  const { notes } = await farebox(args, undefined, interrupted.signal)
  expect(notes).toMatch(/^The payment of 0\.00\d+ USDC was sent\. What the gateway does not bill/m)
})

test('no more is paid than the price that was shown', async () => {
  instead = (path, response) => {
    if (!path.endsWith('/estimate')) return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        model: 'm',
        dimensions: '128×128',
        number_of_images: 1,
        estimatedInputTokens: 1,
        estimatedOutputTokens: 1,
        estimatedCost: { usd: '0.0009', note: '' },
        message: '',
      }),
    )
    return true
  }
  const calls = [
    ['chat', 'Hello', ...model],
    ['image', 'A cat', '-o', join(stage.folder, 'dear.png')],
  ]
  for (const call of calls) {
    const { notes, status } = await farebox(call)
    expect(status).toBe(4)
    expect(notes).toMatch(
      /The gateway asks for up to 0\.\d+ USDC now, more than the 0\.0009 that it estimated\. Nothing was paid\.$/,
    )
  }
  expect(asked.filter((path) => path.endsWith('paid'))).toEqual([])
})

test('a control sequence in what the gateway says does not reach the terminal', async () => {
  instead = (path, response) => {
    if (path !== '/v1/estimate') return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        model: 'm\u001b[8m\r\u009b2K\u202e',
        estimatedInputTokens: 1,
        estimatedOutputTokens: 1,
        estimatedCost: { usd: '0.0009', note: '' },
        message: '',
      }),
    )
    return true
  }
  const { notes } = await farebox(['chat', 'Hello', ...model])
  expect(notes).toMatch(/^m\?\[8m\?\?2K\?, at most 0\.0009 USDC\n/)
})

test('a control sequence in the record of a payment does not reach the terminal', async () => {
  instead = (path, response) => {
    if (!path.startsWith('/v1/payments/')) return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...recordOf('pay_1'), model: 'm\u001b[8m\u009b2K\u202e' }))
    return true
  }
  const { out } = await farebox(['payments', 'pay_1'])
  expect(out).toMatch(/^model {6}m\?\[8m\?2K\?$/m)
})

test('a control sequence in why the cost is not known does not reach the terminal', async () => {
  instead = (path, response) => {
    if (!path.startsWith('/v1/payments/')) return false
    response.writeHead(500, { 'content-type': 'application/json' })
    const error = { code: 'internal_error', message: 'Not now\u001b[8m.' }
    response.end(JSON.stringify({ error }))
    return true
  }
  const { notes } = await farebox(['chat', 'Hello', ...model])
  expect(notes).toContain('The cost is not known yet. Not now?[8m.')
})

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`

test('a control sequence in the answer of a model does not reach the terminal', async () => {
  instead = (path, response) => {
    if (path !== '/v1/chat/completions') return false
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const said = 'one\r\n\u001b]52;c;c2VjcmV0\u0007\ttwo \u05d0\u200f'
    response.end(`${chunk({ content: said })}${chunk({}, 'stop')}data: [DONE]\n\n`)
    return true
  }
  const { out } = await farebox(['chat', 'Hello', ...model])
  expect(out).toBe('one\n]52;c;c2VjcmV0\ttwo \u05d0\u200f\n')
})

test('a refusal of the model is its answer', async () => {
  instead = (path, response) => {
    if (path !== '/v1/chat/completions') return false
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${chunk({ refusal: 'No.' })}${chunk({}, 'stop')}data: [DONE]\n\n`)
    return true
  }
  expect((await farebox(['chat', 'Hello', ...model])).out).toBe('No.\n')
})

test('an image is saved in a folder that is named, and under no name that is too long', async () => {
  const folder = join(stage.folder, 'pictures')
  await mkdir(folder)
  const size = ['--width', '128', '--height', '128']
  const first = await farebox(['image', 'A cat', ...size, '-o', `${folder}/`])
  expect(first.out).toBe(`${join(folder, 'a-cat.png')}\n`)
  const second = await farebox(['image', 'w'.repeat(300), ...size, '-o', folder])
  expect(second.out).toBe(`${join(folder, `${'w'.repeat(80)}.png`)}\n`)
  expect(await readdir(folder)).toHaveLength(2)
})

test.each([
  ['a name that is too long', `${'w'.repeat(300)}.png`],
  ['a folder that does not exist', 'none/'],
])('an image for %s is not bought', async (_, name) => {
  const path = join(stage.folder, name)
  const { notes, status } = await farebox(['image', 'A cat', '-o', path])
  expect(status).toBe(2)
  expect(notes).toMatch(/ cannot be written\. Nothing was paid\. Choose another --out\.$/)
  expect(asked).toEqual([])
})

test('a list of payments that is longer than the gateway takes requests at once continues later', async () => {
  const environment = { XDG_STATE_HOME: join(stage.folder, 'state') }
  const ids = Array.from({ length: 45 }, (_, number) => `pay_${number}`)
  for (const id of ids) await rememberPayment({ url, id, at: '2026-01-02' }, environment)
  let taken = 0
  instead = (path, response) => {
    if (!path.startsWith('/v1/payments/')) return false
    taken += 1
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    if (taken === 31) {
      response.writeHead(429, headers)
      response.end(JSON.stringify({ error: 'Too many requests', code: 'RATE_LIMITED' }))
    } else {
      response.writeHead(200, headers)
      response.end(JSON.stringify(recordOf(path.slice('/v1/payments/'.length))))
    }
    return true
  }
  const { out, notes } = await farebox(['payments', '--limit', '45', '--json'])
  const listed = JSON.parse(out) as { id: string; status?: string }[]
  expect(listed.map(({ id }) => id)).toEqual(ids.toReversed())
  expect(listed.map(({ status }) => status)).toEqual(ids.map(() => 'completed'))
  expect(notes).toBe('The gateway limits requests: the list continues in 0 seconds.\n')
})
