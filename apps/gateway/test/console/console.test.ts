import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createFareboxClient } from '@farebox/client'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { parseUsdc } from '@farebox/money'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type RunningConsole, startConsole } from '../../src/console/start-console.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'

const token = 'a-token-for-the-tests-only'
let devnet: Devnet
let gateway: TestGateway
let console: RunningConsole
let sold = ''
let relayerBefore = 0n

type Gas = { readonly fee: string }

beforeAll(async () => {
  devnet = await startDevnet()
  relayerBefore = BigInt(await devnet.rpc('eth_getBalance', [devnet.relayer.address, 'latest']))
  gateway = await openGatewayOn(devnet)
  console = await openConsole()
  const answer = await buy(gateway, 0, { body: chatOf('Hello.') })
  await answer.text()
  sold = answer.headers.get('x-payment-id') ?? ''
  await gateway.refunded(sold)
  const hold = { day: Date.now() - (Date.now() % 86_400_000), address: '192.0.2.1', amount: 900n }
  await gateway.store.holdFree(hold, { perAddress: 900n, inAll: 900n })
  await gateway.store.billFree(hold, { model: 'maker/free', cost: 800n, providerCost: 700n })
})
afterAll(async () => {
  await console.stop()
  await gateway.stop()
  await devnet.stop()
})

async function openConsole(
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningConsole> {
  const parsed = readConfig({
    DATA_DIR: gateway.folder,
    RPC_URL: devnet.rpcUrl,
    CONSOLE_PORT: '0',
    CONSOLE_TOKEN: token,
    CONSOLE_GATEWAY_URL: gateway.url,
    ...environment,
  })
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  return await startConsole(parsed.config)
}

type Sent = { readonly method?: string; readonly headers?: Record<string, string>; body?: string }

const ask = (path: string, { headers = {}, ...sent }: Sent = {}) =>
  fetch(console.url + path, {
    redirect: 'manual',
    ...sent,
    headers: { accept: 'text/html', authorization: `Bearer ${token}`, ...headers },
  })
const page = async (path: string) => (await ask(path)).text()
const json = async (path: string, sent: Sent = {}) => {
  const response = await ask(path, { ...sent, headers: { accept: 'application/json' } })
  return (await response.json()) as Record<string, unknown>
}

test('money is shown with the balances of the chain, the revenue of today and the health', async () => {
  const balance = await gateway.balance(gateway.payments.treasury)
  const money = await json('/')
  const { cost } = await gateway.record(sold)
  expect(money).toMatchObject({
    treasury: { usdc: balance.toString() },
    owed: {
      liability: '0',
      suspense: '0',
      refundsPayable: '0',
      payerCredit: '0',
      payerChannel: '0',
    },
    free: [{ model: 'maker/free', calls: 1, cost: '800', providerCost: '700' }],
    revenue: [
      {
        model: expect.any(String),
        payments: 1,
        revenue: cost?.usdc,
        providerCost: expect.stringMatching(/^[1-9]\d*$/),
        unknownCosts: 0,
      },
    ],
    gateway: { url: gateway.url, health: { dependencies: { chain: 'ok' } } },
  })
  expect(Number((money['relayer'] as { wei: string }).wei)).toBeGreaterThan(0)
  expect(await page('/')).toContain('<th scope="col">Margin</th>')
})

test('each alarm of the gateway is shown with what it means and what to do', async () => {
  const health = {
    status: 'degraded',
    timestamp: new Date().toISOString(),
    issues: ['refunds_paused', 'chain_unavailable'],
    dependencies: { treasury: 'ok', relayer: 'low' },
  }
  const troubled = createServer((_, response) => response.end(JSON.stringify(health)))
  await new Promise<void>((listening) => void troubled.listen(0, '127.0.0.1', listening))
  const { port } = troubled.address() as AddressInfo
  const other = await openConsole({ CONSOLE_GATEWAY_URL: `http://127.0.0.1:${port}` })
  const headers = { accept: 'text/html', authorization: `Bearer ${token}` }
  const shown = await (await fetch(other.url, { headers })).text()
  expect(shown).toContain('<code>refunds_paused</code> No refund is sent')
  expect(shown).toContain('the node at RPC_URL does not respond')
  expect(shown).toContain(
    `<li>The relayer is low: send ETH to <code>${devnet.relayer.address}</code>.</li>`,
  )
  expect(shown).not.toContain('The treasury is low')
  await other.stop()
  troubled.close()
})

test('gas is what the relayer paid, by purpose and for each transaction of a payment', async () => {
  const history = async () => (await json(`/payments/${sold}`)) as { gas: Record<string, Gas> }
  // It is written within a second, separately from the payments.
  await expect.poll(async () => Object.keys((await history()).gas)).toHaveLength(2)
  const { settlement, refund } = (await history()).gas
  const money = (await json('/')) as { gas: readonly (Gas & { purpose: string })[] }
  const fees = money.gas.map(({ purpose, fee }) => [purpose, fee])
  expect(fees).toEqual([
    ['refund', refund?.fee],
    ['settlement', settlement?.fee],
  ])
  const balance = await devnet.rpc<string>('eth_getBalance', [devnet.relayer.address, 'latest'])
  const paid = money.gas.reduce((sum, { fee }) => sum + BigInt(fee), 0n)
  expect(BigInt(balance) + paid).toBe(relayerBefore)
  expect(await page('/')).toContain('Gas by purpose')
  expect(await page(`/payments/${sold}`)).toContain('ETH for the transaction')
})

test('a payment is found by id, payer, transaction, refund, model, status and day', async () => {
  const { payer, refund, createdAt } = await gateway.record(sold)
  const history = await json(`/payments/${sold}`)
  const { payment, transfer } = history as {
    payment: { model: string; settlement: { transaction: string } }
    transfer: { nonce: string }
  }
  // Not today, which may have begun since the sale.
  const day = createdAt.slice(0, 10)
  const searches = [
    { q: payer.toUpperCase().replace('0X', '0x') },
    { q: payment.settlement.transaction },
    { q: refund?.transaction ?? '' },
    { q: transfer.nonce },
    { model: payment.model, status: 'completed' },
    { from: day, to: day },
  ]
  for (const search of searches) {
    const found = await json(`/payments?${new URLSearchParams(search).toString()}`)
    expect(found['payments']).toMatchObject([{ id: sold }])
  }
  expect((await ask(`/payments?q=${sold}`)).headers.get('location')).toBe(`/payments/${sold}`)
  expect(await json('/payments?status=void')).toEqual({ payments: [], unread: [] })
  expect(await json('/payments?q=hello')).toEqual({ problem: expect.stringMatching(/^Find: /) })
  expect(await json('/payments?from=2026-13-01')).toEqual({
    problem: 'From: enter a day as 2026-11-22.',
  })
})

test('a field that is unknown, repeated or wrong is refused by its name, and nothing is listed', async () => {
  const problems = {
    '/payments?stats=void': /^stats is not a field\. Use q, model, status, from, to, after\.$/,
    '/payments?model=a&model=b': /^model is given more than once\.$/,
    '/refunds?state=blocked': /^state is not a field\. Use status, after\.$/,
    '/refunds?status=confirmed': /^Status: choose one of waiting, /,
    '/refunds?after=1': /^after: is not the end of a page\./,
  }
  for (const [path, problem] of Object.entries(problems)) {
    expect((await ask(path)).status, path).toBe(400)
    expect(await json(path), path).toEqual({ problem: expect.stringMatching(problem) })
  }
  expect(await page('/payments?stats=void')).toContain('stats is not a field.')
})

test("a payment's history has its entries and transactions; neither it nor the list has a signature", async () => {
  const shown = await page(`/payments/${sold}`)
  const { refund } = await gateway.record(sold)
  expect(shown).toContain(refund?.transaction)
  expect(shown).toMatch(/treasury.*liability/s)
  const history = JSON.stringify(await json(`/payments/${sold}`))
  expect(history).toContain('"credit":"revenue"')
  for (const text of [history, JSON.stringify(await json('/payments'))]) {
    expect(text).not.toMatch(/"(signature|payload)"/)
  }
  expect((await ask(`/payments/pay_${'0'.repeat(32)}`)).status).toBe(404)
  expect(await json('/payments/%ff')).toEqual({ error: 'The URL is not valid.' })
})

test('a row that cannot be read is named, and the other payments are shown', async () => {
  const other = await buy(gateway, 4, { body: chatOf('Hello.') })
  await other.text()
  const id = other.headers.get('x-payment-id') ?? ''
  await gateway.refunded(id)
  const database = new Sqlite(join(gateway.folder, 'ledger.sqlite'))
  const before = database.prepare('select usage from payment where id = ?').pluck().get(sold)
  const write = database.prepare('update payment set usage = ? where id = ?')
  try {
    write.run('{', sold)
    const found = (await json('/payments')) as { payments: { id: string }[]; unread: string[] }
    expect(found.payments.map((one) => one.id)).toEqual([id])
    expect(found.unread).toEqual([expect.stringContaining(`usage in the row of ${sold}`)])
    const list = await page('/payments')
    expect(list).toContain(`href="/payments/${id}"`)
    expect(list).toContain('1 row of the ledger cannot be read')
    expect(await page(`/payments/${sold}`)).toContain('A row of the ledger cannot be read')
  } finally {
    write.run(before, sold)
    database.close()
  }
})

test('a refund that is blocked is shown with its reason, and an operator decides on it', async () => {
  const answer = await buy(gateway, 1, { body: chatOf('Hello.') })
  const id = answer.headers.get('x-payment-id') ?? ''
  await devnet.blacklist(gateway.payer(1).address)
  await answer.text()
  const status = async () => (await gateway.record(id)).refund?.status
  await expect.poll(status).toBe('blocked')
  const { refunds } = (await json('/refunds')) as { refunds: { nonce: string }[] }
  expect(refunds).toMatchObject([{ reason: 'blacklisted_payee', payments: [id] }])
  const nonce = refunds[0]?.nonce ?? ''
  expect(await page('/refunds')).toContain('the issuer of USDC has blocked this payee')
  const retry = `/refunds/${nonce}/retry`
  expect(await page(retry)).toContain(`<form method="post" action="${retry}">`)
  expect(await status()).toBe('blocked')
  await devnet.unBlacklist(gateway.payer(1).address)
  expect(await json(retry, { method: 'POST' })).toMatchObject({ isAccepted: true })
  await expect.poll(status).toBe('confirmed')
  expect((await ask(retry, { method: 'POST' })).status).toBe(409)
})

test('a channel is shown by its state and its id, and its top-up is one row of the payments', async () => {
  expect(await page('/channels')).toContain('No channel is in this state.')
  const client = createFareboxClient({
    baseUrl: gateway.url,
    account: gateway.account(2),
    channel: { after: 0 },
    networks: ['base-sepolia'],
  })
  const { id } = await client.topUp(parseUsdc('0.5'))
  const { receipt } = await client.chat({ messages: [{ role: 'user', content: 'Hello.' }] })
  const { cost } = await client.payment(receipt?.paymentId ?? '')
  const charged = cost?.usdc ?? ''
  const list = await json('/channels')
  expect(list).toMatchObject({
    status: 'open',
    totals: { channels: 1, deposited: '500000', claimable: charged, frozen: 0 },
    states: { open: { channels: 1, escrow: '500000' } },
    channels: [{ id, status: 'open', charged, claimable: charged, held: '0' }],
    unread: [],
  })
  expect(await json(`/channels/${id}`)).toMatchObject({ channel: { id, charged } })
  expect(JSON.stringify([list, await json(`/channels/${id}`)])).not.toContain('signature')
  expect(await page('/channels')).toContain(`<a href="/channels/${id}">`)
  expect(await page(`/channels/${id}`)).toContain(
    `To claim</dt><dd>${cost?.usd.padEnd(8, '0')} USDC`,
  )
  expect(await json('/channels?status=closed')).toMatchObject({ channels: [] })
  expect((await ask('/channels/0x12')).status).toBe(404)
  expect((await ask('/channels?status=shut')).status).toBe(400)

  const rows = await page(`/payments?q=${gateway.payer(2).address}`)
  expect(rows.match(/<th scope="row">/g)).toHaveLength(2)
  expect(rows).toMatch(/deposit into a channel/)
})

test('text of the ledger is escaped', async () => {
  const shown = await page(`/payments?model=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(shown).not.toContain('<script')
  expect(shown).toContain('&#34;&#62;&#60;script&#62;')
})

test('a link opens one session, which ends with the log-out', async () => {
  const { pathname, search } = new URL(console.loginUrl)
  const none = { authorization: '' }
  const opened = await ask(pathname + search, { headers: none })
  const cookie = opened.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^farebox_console=.{43};.*HttpOnly; SameSite=Strict$/)
  const headers = { ...none, cookie: cookie.split(';')[0] ?? '' }
  expect((await ask('/', { headers })).status).toBe(200)
  expect((await ask(pathname + search, { headers: none })).status).toBe(401)
  const own = { ...headers, origin: console.url }
  const body = 'x=1'
  expect((await ask('/logout', { method: 'POST', headers, body })).status).toBe(403)
  for (const origin of ['http://localhost:1', console.url.replace('//', '//evil.'), 'null']) {
    const foreign = { ...headers, origin }
    expect((await ask('/logout', { method: 'POST', headers: foreign, body })).status).toBe(403)
  }
  expect((await ask('/logout', { method: 'POST', headers: own, body })).status).toBe(303)
  expect((await ask('/', { headers })).headers.get('location')).toBe('/login')
})

test('the token opens a session in the form; nothing else does', async () => {
  const login = (given: string, more = {}) =>
    ask('/login', {
      method: 'POST',
      body: new URLSearchParams({ token: given }).toString(),
      headers: {
        authorization: '',
        'content-type': 'application/x-www-form-urlencoded',
        origin: console.url,
        ...more,
      },
    })
  expect((await login(token)).headers.get('location')).toBe('/')
  expect((await login(`${token}x`)).status).toBe(401)
  expect((await login(token, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await ask('/', { headers: { authorization: 'Bearer x' } })).status).toBe(401)
  expect((await ask('/', { headers: { authorization: '' } })).status).toBe(303)
})

test('every page has a strict policy, and no other name reaches it', async () => {
  const response = await ask('/payments')
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/)
  const { request } = await import('node:http')
  const status = await new Promise((resolve) => {
    const headers = { host: 'rebound.example', authorization: `Bearer ${token}` }
    request(console.url, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).end()
  })
  expect(status).toBe(421)
})

test('a fault is a page for browsers, and JSON for scripts', async () => {
  const malformed = '/payments/%ff'
  const response = await ask(malformed)
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toMatch('text/html')
  expect(await response.text()).toMatch(/href="\/payments".*role="alert">The URL is not valid\.</s)
  expect(await json(malformed)).toEqual({ error: 'The URL is not valid.' })
})

test('guesses at the token end in 429, and open sessions are not affected', async () => {
  const login = (given: string) =>
    ask('/login', {
      method: 'POST',
      headers: {
        authorization: '',
        origin: console.url,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token: given }).toString(),
    })
  const cookie = (await login(token)).headers.get('set-cookie')?.split(';')[0] ?? ''
  const statuses = new Set<number>()
  for (let guess = 0; guess < 20; guess += 1) {
    statuses.add((await login(`guess-${guess}`)).status)
    statuses.add((await ask('/', { headers: { authorization: `Bearer ${guess}` } })).status)
  }
  expect(statuses).toEqual(new Set([401, 429]))
  const refused = await login(token)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask('/')).status).toBe(429)
  expect((await ask('/', { headers: { authorization: '', cookie } })).status).toBe(200)
})

test('a console opens neither a ledger that does not exist nor that of another treasury', async () => {
  const ledger = `sqlite:${gateway.folder}/wrong.sqlite`
  await expect(openConsole({ DATABASE_URL: ledger })).rejects.toMatchObject({
    code: 'missing_ledger',
  })
  const { privateKey } = gateway.payer(7)
  await expect(openConsole({ TREASURY_PRIVATE_KEY: privateKey })).rejects.toMatchObject({
    code: 'other_treasury',
  })
})
