import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { checkProviders } from '../../src/doctor/check-providers.ts'
import { finding } from '../../src/doctor/finding.ts'

const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
const server = createServer(({ method, url, headers }, response) => {
  asked.push({ url: `${method} ${url}`, headers })
  const isWrong = Object.values(headers).includes('wrong')
  response.writeHead(isWrong ? 400 : 200).end('{}')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

/** The findings for the three providers, each with a key. */
async function check(key: string) {
  const { port } = server.address() as AddressInfo
  const names = ['ANTHROPIC', 'GEMINI', 'VERTEX']
  const settings = names.flatMap((name) => [
    [`${name}_API_KEY`, key],
    [`${name}_BASE_URL`, `http://127.0.0.1:${port}/${name.toLowerCase()}`],
  ])
  const read = readConfig(Object.fromEntries(settings))
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return await checkProviders(read.config)
}

test('the models of Anthropic, Gemini and Vertex are listed with their keys', async () => {
  expect(await check('right')).toEqual([
    { verdict: 'ok', subject: 'anthropic', message: 'accepts the key' },
    { verdict: 'ok', subject: 'gemini', message: 'accepts the key' },
    { verdict: 'ok', subject: 'vertex', message: 'accepts the key' },
  ])
  const google = { 'x-goog-api-key': 'right' }
  expect(
    asked.toSorted((one, other) => (String(one.url) < String(other.url) ? -1 : 1)),
  ).toMatchObject([
    {
      url: 'GET /anthropic/models',
      headers: { 'x-api-key': 'right', 'anthropic-version': '2023-06-01' },
    },
    { url: 'GET /gemini/models', headers: google },
    { url: 'GET /vertex/models', headers: google },
  ])
})

test('a rejected key is wrong, and the setting that holds it is named', async () => {
  const findings = await check('wrong')
  expect(findings.map(({ verdict }) => verdict)).toEqual(['wrong', 'wrong', 'wrong'])
  expect(findings[1]).toMatchObject({
    subject: 'gemini',
    message: 'rejects the key (HTTP 400)',
    fix: 'check GEMINI_API_KEY',
  })
})

const testnet = {
  NETWORK: 'base-sepolia',
  RPC_URL: 'http://127.0.0.1:1',
  TREASURY_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  RELAYER_PRIVATE_KEY: `0x${'2'.repeat(64)}`,
}

test.each([
  [{}, 'note', 'no provider key is set: the sandbox responds, and no model runs'],
  [{ SANDBOX_PROVIDER: 'off' }, 'wrong', 'no provider is configured: nothing can be sold'],
  [testnet, 'wrong', 'no provider is configured: nothing can be sold'],
  [{ ...testnet, NETWORK: 'base' }, 'wrong', 'no provider is configured: nothing can be sold'],
  [
    { ...testnet, SANDBOX_PROVIDER: 'on' },
    'note',
    'no provider key is set: the sandbox responds, and no model runs',
  ],
] as const)('without a provider: %j is %s', async (environment, verdict, message) => {
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const [found, ...others] = await checkProviders(read.config)
  expect(found).toMatchObject({ verdict, subject: 'providers', message })
  expect(found?.fix).toMatch(/^set the key of a provider, such as OPENROUTER_API_KEY/)
  expect(others).toEqual([])
})

test('a URL may end in a slash, as for a call', async () => {
  const { port } = server.address() as AddressInfo
  const read = readConfig({ VLLM_BASE_URL: `http://127.0.0.1:${port}/vllm/` })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  await checkProviders(read.config)
  expect(asked.at(-1)?.url).toBe('GET /vllm/models')
})

test('a finding does not repeat the password of an address', async () => {
  const ask = async () => {
    await fetch('http://user:canary@127.0.0.1/')
    return []
  }
  expect(await finding({ subject: 'openai', fix: '' }, ask)).toMatchObject([
    { verdict: 'wrong', message: expect.stringMatching(/^Request .* http:\/\/127\.0\.0\.1\/$/) },
  ])
})
