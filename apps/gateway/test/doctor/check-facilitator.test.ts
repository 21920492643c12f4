import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { checkFacilitator } from '../../src/doctor/check-facilitator.ts'

let status: number
let body: string
const asked: { readonly line: string; readonly authorization: string | undefined }[] = []
const server = createServer(({ method, url, headers: { authorization } }, response) => {
  asked.push({ line: `${method} ${url}`, authorization })
  response.writeHead(status, status === 301 ? { location: '/elsewhere' } : {}).end(body)
})

const exact = { x402Version: 2, scheme: 'exact', network: 'eip155:84532' }
const supporting = (...kinds: readonly unknown[]): string => JSON.stringify({ kinds })

let host: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  asked.length = 0
  status = 200
  body = supporting(exact)
})
afterAll(() => server.close())

async function check(environment: Readonly<Record<string, string>>) {
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return await checkFacilitator(read.config)
}

const checkServer = () => check({ FACILITATOR_URL: `http://${host}/x402/` })

test('a gateway that settles itself has no finding', async () => {
  expect(await check({})).toEqual([])
})

test.each([
  [supporting({ ...exact, x402Version: 1, network: 'base-sepolia' }, exact)],
  [supporting({ ...exact, network: 'eip155:*', extra: {} })],
])('a facilitator that settles what is sold is right: %s', async (kinds) => {
  body = kinds
  expect(await checkServer()).toEqual([
    {
      verdict: 'ok',
      subject: 'facilitator',
      message: `${host} settles exact payments on eip155:84532 (x402 version 2)`,
    },
  ])
  expect(asked).toEqual([{ line: 'GET /x402/supported', authorization: undefined }])
})

test('one that is not there is wrong, with the setting', async () => {
  expect(await check({ FACILITATOR_URL: 'http://127.0.0.1:9' })).toEqual([
    {
      verdict: 'wrong',
      subject: 'facilitator',
      message: '127.0.0.1:9 does not respond: nothing can be sold',
      fix: 'start it, or correct FACILITATOR_URL',
    },
  ])
})

test.each([
  [supporting()],
  [supporting({ ...exact, network: 'eip155:8453' })],
  [supporting({ ...exact, scheme: 'upto' })],
  [supporting({ ...exact, x402Version: 1 }, null, 'exact')],
])('one that does not settle what is sold is wrong: %s', async (kinds) => {
  body = kinds
  expect(await checkServer()).toEqual([
    {
      verdict: 'wrong',
      subject: 'facilitator',
      message: `${host} does not settle exact payments on eip155:84532 (x402 version 2)`,
      fix: 'set FACILITATOR_URL to a facilitator of this network',
    },
  ])
})

test.each([
  [200, '<html>', 'does not list the payments that it settles'],
  [200, '{"kinds":{}}', 'does not list the payments that it settles'],
  [200, 'null', 'does not list the payments that it settles'],
  [301, '', 'responds with HTTP 301 to the list of payments'],
  [404, '{}', 'responds with HTTP 404 to the list of payments'],
  [503, '{}', 'responds with HTTP 503: nothing can be sold'],
])('one that responds %s %s is wrong', async (code, text, message) => {
  status = code
  body = text
  expect(await checkServer()).toMatchObject([{ verdict: 'wrong', message: `${host} ${message}` }])
})

test('one that rejects the user name and password of the address is wrong', async () => {
  status = 401
  expect(await check({ FACILITATOR_URL: `http://me:canary@${host}` })).toEqual([
    {
      verdict: 'wrong',
      subject: 'facilitator',
      message: `${host} rejects our authorization (HTTP 401)`,
      fix: 'correct the user name and password in FACILITATOR_URL',
    },
  ])
  expect(asked[0]?.authorization).toMatch(/^Basic /)
})

test('Coinbase is asked with a token of the API key, and a rejected one is named', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const coinbase = {
    FACILITATOR_URL: `http://${host}/platform/v2/x402`,
    CDP_API_KEY_ID: 'id',
    CDP_API_KEY_SECRET: privateKey.export({ format: 'pem', type: 'sec1' }).toString(),
  }
  expect(await check(coinbase)).toMatchObject([{ verdict: 'ok' }])
  const claims = asked[0]?.authorization?.split('.')[1] ?? ''
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    uris: [`GET ${host}/platform/v2/x402/supported`],
  })
  status = 401
  expect(await check(coinbase)).toMatchObject([
    { verdict: 'wrong', fix: 'correct CDP_API_KEY_ID and CDP_API_KEY_SECRET' },
  ])
})
