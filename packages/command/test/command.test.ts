import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { appProgram } from '../../../scripts/testing/app-program.ts'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { fareboxCommand } from '../src/farebox-command.ts'
import { type Output, type Run, runFarebox } from './support/run-farebox.ts'

const stage = gatewayStage()

/** Runs the command as on the machine of the gateway: the devnet's payer is found by itself. */
async function farebox(
  args: readonly string[],
  { environment, ...run }: Partial<Run> = {},
): Promise<Output> {
  const output = await runFarebox(args, {
    environment: {
      FAREBOX_URL: stage.url,
      DATA_DIR: stage.folder,
      XDG_STATE_HOME: join(stage.folder, 'state'),
      ...environment,
    },
    ...run,
  })
  const secret = stage.devnet.payers[0]?.privateKey.slice(2) ?? ''
  expect(`${output.out}${output.notes}`).not.toContain(secret)
  return output
}

const answered = /cost (0\.\d+) USDC, paid (0\.\d+), refunded (0\.\d+) in 0x[0-9a-f]{64}, (pay_\S+)/

test('chat notes the price, streams the answer, and notes the cost and the refund', async () => {
  const { out, notes, status } = await farebox([
    'chat',
    'What is a fare box?',
    '--model',
    'openai/gpt-4.1-mini',
    '--max-tokens',
    '2000',
  ])
  expect(status).toBe(0)
  expect(out).toMatch(/sandbox[\s\S]*\n$/i)
  expect(notes).toMatch(/^openai\/gpt-4\.1-mini, at most 0\.\d+ USDC\n/)
  const [, cost, paid, refunded, id] = answered.exec(notes) ?? []
  expect(Number(cost) + Number(refunded)).toBeCloseTo(Number(paid), 9)

  const listed = await farebox(['payments'])
  expect(listed.out).toMatch(/^at +model +cost +paid +refund +payment\n/)
  expect(listed.out).toContain(`${cost}  ${paid}  confirmed  ${id}`)
  const record = await farebox(['payments', id ?? '', '--json'])
  expect(JSON.parse(record.out)).toMatchObject({ id, status: 'completed' })
  const lines = (await farebox(['payments', id ?? ''])).out
  expect(lines).toContain(`refunded ${refunded} in 0x`)
  expect(lines).toMatch(/^payer +0x[0-9a-f]{40} on the devnet$/m)
})

test('chat notes that an answer is cut off at --max-tokens', async () => {
  const { out, notes } = await farebox(['chat', 'Hello', '--max-tokens', '5'])
  expect(out).toBe('This is the Farebox sandbox.\n')
  expect(notes).toMatch(/^The answer is not complete: it reached its maximum length/m)
})

test('payments of a gateway that cannot be reached are listed, with the reason once, and fail', async () => {
  const history = join(stage.folder, 'elsewhere', 'farebox', 'payments.jsonl')
  await mkdir(dirname(history), { recursive: true })
  const notes = [1, 2].map((number) => ({
    url: 'http://127.0.0.1:1',
    id: `pay_${number}`,
    at: '2026-01-02T03:04:05.000Z',
  }))
  await writeFile(history, notes.map((note) => `${JSON.stringify(note)}\n`).join(''))
  const environment = { XDG_STATE_HOME: join(stage.folder, 'elsewhere') }
  const listed = await farebox(['payments'], { environment })
  expect(listed.out.split('\n').slice(1, 3)).toEqual([
    expect.stringMatching(/^2026-01-02 03:04:05 {2}\? +\? +\? +\? +pay_2$/),
    expect.stringMatching(/^2026-01-02 03:04:05 {2}\? +\? +\? +\? +pay_1$/),
  ])
  expect(listed.notes).toBe('FareboxError: http://127.0.0.1:1 could not be reached.')
  expect(listed.status).toBe(1)
})

test('chat without a text is a conversation, and a turn sends the questions before it', async () => {
  const { out, notes } = await farebox(['chat', '-m', 'openai/gpt-4.1-mini'], {
    // Longer than an answer: without it, the second price would be lower.
    lines: ['First. '.repeat(400), '', 'Second'],
  })
  expect(out.match(/> /g)).toHaveLength(4)
  const prices = [...notes.matchAll(/at most (0\.\d+) USDC/g)].map(([, price]) => Number(price))
  expect(prices).toHaveLength(2)
  expect(prices[1]).toBeGreaterThan(prices[0] ?? 1)
  expect(out).toMatch(/> \n$/)
})

test('chat reads a piped text, and writes JSON with the payment', async () => {
  const { out } = await farebox(['chat', '--json', '-m', 'openai/gpt-4.1-mini'], { piped: 'Hello' })
  expect(JSON.parse(out)).toMatchObject({
    completion: { object: 'chat.completion' },
    payment: { status: 'completed', payer: stage.devnet.payers[0]?.address.toLowerCase() },
  })
})

test('without a command the help is printed', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, appProgram('farebox'))
  expect(stdout).toMatch(/^Usage: farebox \[options\] \[command\]/)
  expect(stdout).toContain('Exit status: 0 done')
})

test('the README has the options of all commands', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const section = /^## Options\n.*?(?=^## )/ms.exec(readme)?.[0] ?? ''
  const { out } = await farebox(['completion', 'bash'])
  const optionsIn = (text: string) => [...new Set(text.match(/--[a-z][a-z-]+/g))].sort()
  expect(optionsIn(section)).toEqual(optionsIn(out))
})

test('an empty question is wrong usage, and an unknown payment is not found', async () => {
  const empty = await farebox(['chat'], { piped: '\n' })
  expect(empty.status).toBe(2)
  expect(empty.notes).toContain('farebox: the question is empty')
  expect((await farebox(['estimate'])).status).toBe(2)
  expect((await farebox(['payments', 'pay_0'])).status).toBe(3)
})

test('an answer of another service than a gateway leads to the address', async () => {
  const other = createServer((_, response) => response.writeHead(501).end('<html></html>'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const environment = { FAREBOX_URL: `http://127.0.0.1:${port}` }
  const failed = promisify(execFile)(process.execPath, [...appProgram('farebox'), 'models'], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr:
      'farebox: The server responded with status 501. Check that --url or FAREBOX_URL is the address of a Farebox gateway.\n',
  })
  other.close()
})

test.each([
  [['chat', 'Hello', '-m', 'openai/gpt-4.1-mni'], 'openai/gpt-4.1-mini', 'models'],
  [['chat', 'Hello', '-m', 'openai/gpt-4.1-mni', '--json'], 'openai/gpt-4.1-mini', 'models'],
  [['estimate', 'Hello', '-m', 'GPT-4.1-mni'], 'openai/gpt-4.1-mini', 'models'],
  [['image', 'A cat', '-m', 'black-forest-labs/flux.1-schnel'], 'flux', 'models --images'],
])('a misspelled model is not found, and the nearest are named: %s', async (args, near, list) => {
  const { notes, status } = await farebox(args)
  expect(status).toBe(1)
  expect(notes).toMatch(/is not sold here\. Did you mean \S+/)
  expect(notes).toContain(near)
  expect(notes).toMatch(new RegExp(`\\? \`farebox ${list}\` lists the models\\.$`))
})

test('a call above its cap is not paid, and has its own exit status', async () => {
  const { notes, status } = await farebox(['chat', 'Hello', '--max-usd-per-call', '0.000999'])
  expect(status).toBe(4)
  expect(notes).toContain('The cap is 0.000999 USDC for one call')
})

test('without a key, chat explains how to get one before it sends anything', async () => {
  const nowhere = { DATA_DIR: join(stage.folder, 'none') }
  const { notes, status } = await farebox(['chat', 'Hello'], { environment: nowhere })
  expect(status).toBe(4)
  expect(notes).toContain('farebox wallet --new <file>')
  const devnet = join(stage.folder, 'none', 'devnet.json')
  expect(notes).toContain(`no devnet of a gateway at ${devnet}. Start the gateway, or set FAREBOX_`)
  const elsewhere = { FAREBOX_URL: 'https://gateway.example' }
  const remote = await farebox(['chat', 'Hello'], { environment: elsewhere })
  expect(remote.status).toBe(4)
  expect(remote.notes).toContain('No private key: set FAREBOX_PRIVATE_KEY or pass --key-file.')
})

test('image saves the files under free names', async () => {
  const out = join(stage.folder, 'cat.png')
  const args = ['image', 'A cat', '-n', '2', '--width', '128', '--height', '128', '-o', out]
  const first = await farebox(args)
  expect(first.out).toBe(`${out}\n${join(stage.folder, 'cat-2.png')}\n`)
  expect(first.notes).toMatch(/128×128, at most 0\.\d+ USDC\n/)
  expect((await readFile(out)).subarray(1, 4).toString('latin1')).toBe('PNG')
  await farebox(args)
  const names = (await readdir(stage.folder)).filter((name) => name.startsWith('cat'))
  expect(names.sort()).toEqual(['cat-2.png', 'cat-3.png', 'cat-4.png', 'cat.png'])
})

test('an image that could not be saved is not bought', async () => {
  const out = join(stage.folder, 'none', 'cat.png')
  const { notes, status } = await farebox(['image', 'A cat', '-o', out])
  expect(notes).toContain(`${out} cannot be written. Nothing was paid. Choose another --out.`)
  expect(status).toBe(2)
})

test.each([
  [['models', '--url', 'http://a b'], '--url is not a valid URL: http://a b'],
  [
    ['models', '--url', '127.0.0.1:4020'],
    '--url must begin with http:// or https://: 127.0.0.1:4020',
  ],
  [
    ['models', '--url', 'localhost:4020'],
    '--url must begin with http:// or https://: localhost:4020',
  ],
  [['completion', 'tcsh'], 'The shell must be bash, zsh or fish.'],
  [['proxy', '--port', '99999'], 'Expected a port from 0 to 65535.'],
  [['proxy', '--allow-origin', 'localhost:3000'], 'such as http://localhost:3000.'],
  [['proxy', '--allow-origin', 'http://localhost:3000/chat'], 'such as http://localhost:3000.'],
  [['wallet', '--key-file', '/none/key'], 'The key file /none/key cannot be read.'],
  [['channel', 'top-up'], 'The amount is missing: farebox channel top-up 0.50'],
  [['mcp', '--port', '0'], '--port, --no-key and --allow-origin need --http.'],
  [['mcp', '--no-key'], '--port, --no-key and --allow-origin need --http.'],
  [['payments', '--limit', '0'], '--limit must be 1 or more.'],
  [['channel', 'close', '0.5'], '`farebox channel close` takes no amount.'],
])('%j is wrong usage', async (args, problem) => {
  const { notes, status } = await farebox(args)
  expect(notes).toContain(problem)
  expect(status).toBe(2)
})

test('models finds, sorts and counts; prices are per million tokens', async () => {
  const { out, notes } = await farebox(['models', 'GPT', 'mini', '--sort', 'input'])
  const [header, ...rows] = out.trimEnd().split('\n')
  expect(header).toMatch(/^model +context +input +output$/)
  expect(notes).toMatch(
    new RegExp(`^${rows.length} of \\d+ models, prices in USD per million tokens\n$`),
  )
  expect(rows.every((row) => /gpt.*mini/.test(row))).toBe(true)
  expect(rows.find((row) => row.startsWith('openai/gpt-4.1-mini '))).toMatch(/\$0\.4 +\$1\.6$/)
  const prices = rows.map((row) => Number(/\$(\S+)/.exec(row)?.[1]))
  expect(prices).toEqual([...prices].sort((a, b) => a - b))
  const images = await farebox(['models', '--images', '--json'])
  expect((JSON.parse(images.out) as object[]).length).toBeGreaterThan(0)
  expect((await farebox(['models', '--images'])).notes).toMatch(
    /^\d+ of \d+ models, prices in USD per image\nPrices of one image at .*\n$/,
  )
})

test('a search that finds nothing is reported, and has its own exit status', async () => {
  const { out, notes, status } = await farebox(['models', 'no-such-model'])
  expect({ out, status }).toEqual({ out: '', status: 3 })
  expect(notes).toContain('No model matches "no-such-model". Chat models and image models')
})

test('estimate needs no key', async () => {
  const { out } = await farebox(['estimate', 'Hello', '--max-tokens', '9'], {
    environment: { DATA_DIR: join(stage.folder, 'none') },
  })
  expect(out).toMatch(/^at most 0\.\d+ USDC: \d+ input and up to 9 output tokens of \S+\n$/)
})

test('proxy prints its address and key, pays, notes what it spends, and stops on request', async () => {
  const notes: string[] = []
  const stopping = new AbortController()
  const state = join(stage.folder, 'proxy-state')
  const greeting = await new Promise<string>((resolve) => {
    const running = fareboxCommand({
      environment: { FAREBOX_URL: stage.url, DATA_DIR: stage.folder, XDG_STATE_HOME: state },
      write: resolve,
      note: (text) => notes.push(text),
      progress: () => undefined,
      colors: false,
      lines: undefined,
      piped: async () => '',
      signal: stopping.signal,
    }).parseAsync(['proxy', '--port', '0'], { from: 'user' })
    stopped = running.then(() => 'stopped')
  })
  const [, baseUrl, key] = /base URL (\S+), API key (\S+)/.exec(greeting) ?? []
  expect((await stat(join(state, 'farebox', 'local-key'))).mode & 0o777).toBe(0o600)
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(response.status).toBe(200)
  await response.text()
  await expect.poll(() => notes[0]).toMatch(/cost 0\.\d+ USDC, 0\.\d+ USDC so far, pay_/)
  stopping.abort()
  expect(await stopped).toBe('stopped')
})

let stopped: Promise<string> | undefined

test('wallet prints the address and the balance of the devnet payer', async () => {
  const [payer] = stage.devnet.payers
  const { out } = await farebox(['wallet'])
  // Refunds of earlier calls may arrive at any time.
  const wallet = new RegExp(`^${payer?.address}\n9\\d\\d\\.\\d+ USDC on the devnet\n$`)
  expect(out).toMatch(wallet)
  const file = join(stage.folder, 'devnet.json')
  const environment = { DATA_DIR: join(stage.folder, 'none') }
  expect((await farebox(['wallet', '--key-file', file], { environment })).out).toMatch(wallet)
})

test('wallet --new creates a key for its owner only, and never overwrites one', async () => {
  const file = join(stage.folder, 'key')
  const { out } = await farebox(['wallet', '--new', file])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await farebox(['wallet', '--key-file', file])).toMatchObject({
    out,
    notes: expect.stringContaining('pass --rpc-url'),
  })
  expect((await farebox(['wallet', '--new', file])).notes).toMatch(/exists already/)
})

test('sign signs the price of a 402 that curl received, within the cap', async () => {
  const required = await fetch(`${stage.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const header = required.headers.get('payment-required') ?? ''
  const { out } = await farebox(['sign', header])
  const signed: unknown = JSON.parse(Buffer.from(out.trim(), 'base64').toString())
  const from = stage.devnet.payers[0]?.address
  expect(signed).toMatchObject({ x402Version: 2, payload: { authorization: { from } } })
  expect((await farebox(['sign', header, '--max-usd-per-call', '0.000001'])).status).toBe(4)
})

test.each(['', 'nonsense', '日本', 'bnVsbA=='])('sign %j is wrong usage', async (header) => {
  const { notes, status } = await farebox(['sign', header])
  expect(status).toBe(2)
  expect(notes).toContain('not the value of a PAYMENT-REQUIRED header')
})

test.each([
  ['FAREBOX_PRIVATE_KEY', []],
  ['the file', ['--key-file']],
])('an invalid key from %s is rejected without being printed', async (_, options) => {
  const file = join(stage.folder, 'bad')
  await writeFile(file, 'secret-but-no-key')
  const args = ['wallet', ...options.flatMap((option) => [option, file])]
  const { notes, status } = await farebox(args, {
    environment: { FAREBOX_PRIVATE_KEY: 'secret-but-no-key' },
  })
  expect(status).toBe(2)
  expect(notes).toContain('does not contain a private key')
  expect(notes).not.toContain('secret-but-no-key')
})

test.each([
  ['zero', '00'.repeat(32)],
  ['a number above all keys', 'ff'.repeat(32)],
])('%s is not a key, and is not printed', async (_, digits) => {
  const { notes, status } = await farebox(['wallet'], {
    environment: { FAREBOX_PRIVATE_KEY: digits },
  })
  expect(status).toBe(2)
  expect(notes).toMatch(
    /FAREBOX_PRIVATE_KEY does not contain a private key: the number is out of the range of keys\.$/,
  )
})

test('a node that does not answer is named without the key in its URL', async () => {
  const wallet = ['wallet', '--rpc-url', `${stage.url}/v3/secret-of-the-node`]
  const { notes, status } = await farebox(wallet)
  expect(notes).toContain(`The node at ${stage.url} did not return the balance. Check --rpc-url.`)
  expect(notes).not.toContain('secret-of-the-node')
  expect(status).toBe(1)
  expect(await farebox(['wallet', '--rpc-url', 'nowhere'])).toMatchObject({ status: 2 })
})

test('help, version, a wrong option and a near miss', async () => {
  expect(await farebox(['--help'])).toMatchObject({
    status: 0,
    out: expect.stringContaining('Exit status: 0 done'),
  })
  expect((await farebox(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(await farebox(['modles'])).toMatchObject({
    status: 2,
    notes: expect.stringContaining('Did you mean models?'),
  })
  expect((await farebox(['chat', 'Hello', '--max-usd-per-call', '1e3'])).notes).toContain(
    'Expected dollars with at most 6 decimals',
  )
})

test.each(['bash', 'zsh', 'fish'])('completion writes a script for %s', async (shell) => {
  const { out } = await farebox(['completion', shell])
  expect(out).toContain('farebox')
  expect(out).toContain('max-usd-per-call')
})
