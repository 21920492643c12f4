import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { appProgram } from '../../../scripts/testing/app-program.ts'
import { settings } from '../src/settings.ts'
import { version } from '../src/version.ts'

/** A file that exists and is neither a vocabulary nor a table of factors. */
const otherFile = fileURLToPath(import.meta.url)

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function run(words: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [...appProgram('estimator'), ...words], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  const url = new Promise<string>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes.toString()
      const found = /"event":"listening","url":"([^"]+)"/.exec(stdout)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr })
    })
  })
  return { child, url, ended }
}

test('reports all problems and exits with 2; --help prints every variable', async () => {
  const wrong = await run([], {
    PORT: 'x',
    HOST: '"127.0.0.1"',
    RATE_LIMIT_PER_MINUT: '5',
    DEFAULT_CHAT_MODEL: 'no/such',
    TOKENIZER_VOCABULARIES: `llama3=${otherFile}`,
    TOKENIZER_FACTORS: otherFile,
  }).ended
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('Did you mean RATE_LIMIT_PER_MINUTE?')
  expect(wrong.stderr).toContain('The value of HOST is in quotes')
  expect(wrong.stderr).toMatch(/PORT /)
  expect(wrong.stderr).toMatch(/DEFAULT_CHAT_MODEL: /)
  expect(wrong.stderr).toMatch(
    /TOKENIZER_VOCABULARIES: .+ is not a valid vocabulary of this version/,
  )
  expect(wrong.stderr).toMatch(/TOKENIZER_FACTORS: .+ is not valid JSON/)
  const help = await run(['--help'], {}).ended
  expect(help).toMatchObject({ code: 0, stderr: '' })
  for (const name of Object.keys(settings)) expect(help.stdout).toContain(`  ${name} `)
})

test('--version prints it; an unknown command is named, without the list of variables', async () => {
  expect(await run(['--version'], {}).ended).toMatchObject({ code: 0, stdout: `${version}\n` })
  expect(await run(['serve'], {}).ended).toEqual({
    code: 2,
    stdout: '',
    stderr: `Unknown command: serve

Usage: node apps/estimator/dist/main.js

--help lists the environment variables.
`,
  })
})

test('a host without an address is named, with a way out', async () => {
  const { code, stderr } = await run([], { HOST: 'nowhere.invalid', PORT: '0' }).ended
  expect(code).toBe(1)
  expect(stderr).toBe(
    'HOST=nowhere.invalid is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.\n',
  )
})

test('uses the operator’s file and terms, limits requests, and exits with 0 on SIGTERM', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  const path = join(folder, 'overrides.json')
  const price = { input: '10', output: '20' }
  await writeFile(
    path,
    JSON.stringify({
      chat: {
        add: [{ id: 'own/model', contextLength: 8192, maxOutputTokens: 1024, price }],
        hide: ['openai/gpt-4.1-mini'],
      },
    }),
  )
  const { child, url, ended } = run([], {
    PORT: '0',
    CATALOG_OVERRIDES: path,
    DEFAULT_CHAT_MODEL: 'own/model',
    MARKUP_BPS: '10000',
    RATE_LIMIT_PER_MINUTE: '5',
    PUBLIC_URL: 'https://prices.example/',
  })
  try {
    const address = await url
    const { models } = await (await fetch(`${address}/v1/models`)).json()
    const listed = new Map(models.map((model: { id: string }) => [model.id, model]))
    expect(listed.get('own/model')).toMatchObject({ pricing: { input_per_1k_tokens: 0.02 } })
    expect(listed.has('openai/gpt-4.1-mini')).toBe(false)
    const ask = (model?: string) =>
      fetch(`${address}/v1/estimate`, {
        method: 'POST',
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      })
    const estimate = await (await ask()).json()
    expect(estimate).toMatchObject({ model: 'own/model', estimatedOutputTokens: 1024 })
    expect((await ask('openai/gpt-4.1-mini')).status).toBe(400)
    const document = await (await fetch(`${address}/openapi.json`)).json()
    expect(document.servers).toEqual([{ url: 'https://prices.example' }])
    expect((await fetch(`${address}/v1/payments/pay_x`)).status).toBe(404)
    const limited = await fetch(`${address}/health`)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  } finally {
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
    await rm(folder, { recursive: true, force: true })
  }
})

test('after SIGTERM, twice, finishes the request in progress and exits with 0', async () => {
  const { child, url, ended } = run([], { PORT: '0' })
  const address = await url
  const asked = request(`${address}/v1/estimate`, {
    method: 'POST',
    headers: { expect: '100-continue' },
  })
  const answered = once(asked, 'response')
  asked.flushHeaders()
  await once(asked, 'continue')
  child.kill('SIGTERM')
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1')
      socket.once('error', () => resolve(false))
      socket.once('connect', () => resolve(socket.destroy().destroyed))
    })
  await expect.poll(isOpen).toBe(false)
  child.kill('SIGTERM')
  asked.end('{"messages":[{"role":"user","content":"Hello"}]}')
  const [response] = await answered
  expect(response.statusCode).toBe(200)
  response.resume()
  expect((await ended).code).toBe(0)
})
