import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDevnetFile } from '@farebox/devnet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fareboxCommand } from '../../src/command/farebox-command.ts'
import { chunk, completion, payment } from '../support/bodies.ts'
import { json } from '../support/test-gateway.ts'
import { testStage } from '../support/test-stage.ts'

const stage = testStage()
let folder: string

beforeEach(async () => {
  stage.gateway.free = { '/v1/payments/pay_1': (response) => json(response, 200, payment) }
  folder = await mkdtemp(join(tmpdir(), 'farebox-client-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

type Output = { readonly out: string; readonly notes: string }

async function farebox(args: readonly string[], environment = keyInEnvironment()): Promise<Output> {
  const out: string[] = []
  const notes: string[] = []
  const command = fareboxCommand({
    environment: { FAREBOX_URL: stage.gateway.url, ...environment },
    write: (text) => out.push(text),
    note: (text) => notes.push(text),
    signal: new AbortController().signal,
  })
  await command.parseAsync(args, { from: 'user' })
  const output = { out: out.join(''), notes: notes.join('\n') }
  expect(`${output.out}${output.notes}`).not.toContain(stage.payer.privateKey.slice(2))
  return output
}

function keyInEnvironment(): Record<string, string> {
  return { FAREBOX_PRIVATE_KEY: stage.payer.privateKey }
}

test('chat streams the answer, and prints the payment to standard error', async () => {
  stage.gateway.paid = [
    async (response, arrival) => {
      response.writeHead(200, await stage.gateway.settle(arrival))
      const events = [
        `data: ${JSON.stringify(chunk('Hel'))}`,
        `data: ${JSON.stringify(chunk('lo.'))}`,
      ]
      const end = [`: receipt ${JSON.stringify(payment)}`, 'data: [DONE]']
      response.end([...events, ...end].map((event) => `${event}\n\n`).join(''))
    },
  ]
  const { out, notes } = await farebox(['chat', 'Hello', '-s', 'Be short', '--max-tokens', '9'])
  expect(out).toBe('Hello.\n')
  expect(notes).toMatch(/^paid 0\.001000 USDC, 0x[0-9a-f]{64}, payment pay_1\n/)
  expect(notes).toContain('cost       $0.0004')
  expect(notes).toContain('refund     $0.0006 (due)')
  expect(JSON.parse(stage.gateway.arrivals[0]?.body ?? '')).toEqual({
    messages: [
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Hello' },
    ],
    max_tokens: 9,
    stream: true,
  })
})

test('chat --json waits for the whole completion, and looks up its cost', async () => {
  stage.gateway.paid = [
    async (response, arrival) => {
      for (const [name, value] of Object.entries(await stage.gateway.settle(arrival))) {
        response.setHeader(name, value)
      }
      json(response, 200, completion)
    },
  ]
  const { out, notes } = await farebox(['--json', 'chat', 'Hello', '-m', 'sandbox/echo'])
  expect(JSON.parse(out)).toEqual(completion)
  expect(notes).toContain('cost       $0.0004')
})

test('--max-usd caps the price of a call', async () => {
  await expect(farebox(['chat', 'Hello', '--max-usd', '0.000999'])).rejects.toMatchObject({
    code: 'amount_above_call_cap',
  })
  expect(stage.gateway.arrivals).toHaveLength(1)
})

test('image writes files with --out and URLs without', async () => {
  const image = (data: object): object => ({
    model: 'sandbox/draw',
    dimensions: '512×512',
    images: [
      { url: 'http://127.0.0.1/1.png', ...data },
      { url: 'http://127.0.0.1/2.png', ...data },
    ],
    number_of_images: 2,
    cost: { usd: '0.0003', usdc: '300' },
  })
  stage.gateway.paid = [
    (response) => json(response, 200, image({ b64_json: Buffer.from('png').toString('base64') })),
    (response) => json(response, 200, image({})),
  ]
  const path = join(folder, 'cat.png')
  const saved = await farebox(['image', 'A cat', '-n', '2', '--width', '512', '--out', path])
  expect(saved.out).toBe(`${path}\n${join(folder, 'cat-2.png')}\n`)
  expect(await readFile(join(folder, 'cat-2.png'), 'utf8')).toBe('png')
  expect(JSON.parse(stage.gateway.arrivals[0]?.body ?? '')).toEqual({
    prompt: 'A cat',
    width: 512,
    numberResults: 2,
    response_format: 'b64_json',
  })
  const listed = await farebox(['image', 'A cat'])
  expect(listed.out).toBe('http://127.0.0.1/1.png\nhttp://127.0.0.1/2.png\n')
})

test('models and estimate are free and need no key', async () => {
  const pricing = {
    input_per_1k_tokens: 0.001,
    output_per_1k_tokens: 0.002,
    blended_per_1k_tokens: 0.0015,
  }
  const model = (id: string): object => ({
    id,
    name: id,
    description: '',
    context_length: 8192,
    pricing,
  })
  const drawing = {
    id: 'sandbox/draw',
    name: 'Draw',
    description: '',
    architecture: 'sandbox',
    category: 'fast',
    supportsSteps: true,
    pricing: { '512x512': '$0.0003' },
  }
  stage.gateway.free = {
    '/v1/models': (response) =>
      json(response, 200, {
        object: 'list',
        data: [],
        total: 2,
        models: [model('a/one'), model('b/two')],
      }),
    '/v1/images/models': (response) => json(response, 200, { total: 1, models: [drawing] }),
    '/v1/estimate': (response) =>
      json(response, 200, {
        model: 'a/one',
        estimatedInputTokens: 3,
        estimatedOutputTokens: 9,
        estimatedCost: { usd: '0.001', note: '' },
        message: '',
      }),
  }
  expect((await farebox(['models', 'TWO'], {})).out).toMatch(
    /^b\/two +8192 tokens, per 1,000: \$0\.001 in/,
  )
  expect((await farebox(['models', '--images'], {})).out).toMatch(
    /^sandbox\/draw +fast +512x512 \$0\.0003/,
  )
  expect((await farebox(['estimate', 'Hello', '--max-tokens', '9'], {})).out).toBe(
    'at most $0.001 for 3 input and up to 9 output tokens of a/one\n',
  )
})

test('payment prints the record of a payment', async () => {
  const { out } = await farebox(['payment', 'pay_1'], {})
  expect(out).toContain('status     completed')
  expect(JSON.parse((await farebox(['payment', 'pay_1', '--json'], {})).out)).toEqual(payment)
})

test('sign signs the price of a 402 that curl received, within the cap', async () => {
  const required = await fetch(`${stage.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    body: '{}',
  })
  const header = required.headers.get('payment-required') ?? ''
  const { out } = await farebox(['sign', header])
  const signed: unknown = JSON.parse(Buffer.from(out.trim(), 'base64').toString())
  expect(signed).toMatchObject({
    x402Version: 2,
    payload: { authorization: { from: stage.payer.address } },
  })
  await expect(farebox(['sign', header, '--max-usd', '0.000001'])).rejects.toMatchObject({
    code: 'amount_above_call_cap',
  })
  await expect(farebox(['sign', 'nonsense'])).rejects.toMatchObject({
    code: 'no_acceptable_payment',
  })
})

test('wallet prints the address and balance of a key, never the key', async () => {
  const file = join(folder, 'devnet.json')
  await writeDevnetFile(file, stage.devnet)
  expect((await farebox(['wallet'])).out).toBe(`${stage.payer.address}\n`)
  const { out } = await farebox(
    ['wallet', '--key-file', file, '--rpc-url', stage.devnet.rpcUrl],
    {},
  )
  expect(out).toMatch(
    new RegExp(`^${stage.payer.address}\n[0-9]+\\.[0-9]{6} USDC on eip155:84532\n$`),
  )
})

test('wallet --new creates a key file readable by its owner only, and never overwrites one', async () => {
  const file = join(folder, 'key')
  const { out } = await farebox(['wallet', '--new', file], {})
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await farebox(['wallet', '--key-file', file], {})).out).toBe(out)
  await expect(farebox(['wallet', '--new', file], {})).rejects.toThrow(/EEXIST/)
})

test.each([
  ['FAREBOX_PRIVATE_KEY', []],
  ['the file', ['--key-file']],
])('an invalid key from %s is rejected without being printed', async (_, options) => {
  const file = join(folder, 'bad')
  await writeFile(file, 'secret-but-no-key')
  const args = ['wallet', ...options.flatMap((option) => [option, file])]
  const error: unknown = await farebox(args, { FAREBOX_PRIVATE_KEY: 'secret-but-no-key' }).catch(
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'invalid_option' })
  expect(String(error)).not.toContain('secret-but-no-key')
})

test('without a key the error names FAREBOX_PRIVATE_KEY', async () => {
  await expect(farebox(['wallet'], {})).rejects.toThrow(/set FAREBOX_PRIVATE_KEY/)
  await expect(farebox(['chat', 'Hello'], {})).rejects.toMatchObject({ code: 'payment_required' })
})
