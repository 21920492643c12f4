import { type Devnet, type DevnetAccount, startDevnet } from '@farebox/devnet'
import { atomicUsdc } from '@farebox/money'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFareboxClient, type FareboxClient, type FareboxClientOptions } from '../src/index.ts'
import { chunk, completion, payment } from './bodies.ts'
import {
  challenge,
  json,
  type Script,
  startTestGateway,
  type TestGateway,
  usdcOffer,
} from './test-gateway.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const

let devnet: Devnet
let gateway: TestGateway
let payer: DevnetAccount
let start: string

beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
  const [first] = devnet.payers
  if (first === undefined) throw new Error('a payer is needed')
  payer = first
})
beforeEach(async () => {
  start = await devnet.snapshot()
  gateway = await startTestGateway(devnet)
})
afterEach(async () => {
  await gateway.stop()
  await devnet.revert(start)
})
afterAll(async () => {
  await devnet.stop()
})

function connect(options: Partial<FareboxClientOptions> = {}): FareboxClient {
  return createFareboxClient({ baseUrl: gateway.url, privateKey: payer.privateKey, ...options })
}

const complete: Script = async (response, arrival) => {
  for (const [name, value] of Object.entries(await gateway.settle(arrival))) {
    response.setHeader(name, value)
  }
  json(response, 200, completion)
}

const hangUp: Script = (response) => {
  response.destroy()
}

function stream(...events: readonly string[]): Script {
  return async (response, arrival) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      ...(await gateway.settle(arrival)),
    })
    response.end(events.map((event) => `${event}\n\n`).join(''))
  }
}

function signatures(): readonly string[] {
  return gateway.arrivals.map(({ signature }) => signature).filter((it) => it !== undefined)
}

async function received(): Promise<bigint> {
  return await devnet.usdcBalance(devnet.treasury.address)
}

test('pays for a chat and reads its answer and its receipt', async () => {
  gateway.paid = [complete]
  const { completion: answer, receipt } = await connect().chat(hello)
  expect(answer).toEqual(completion)
  expect(receipt).toMatchObject({
    paymentId: 'pay_1',
    settled: true,
    network: 'eip155:84532',
    payer: payer.address,
    paid: 1000n,
  })
  expect(receipt?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await received()).toBe(1000n)
  expect(gateway.arrivals.map(({ path }) => path)).toEqual(Array(2).fill('/v1/chat/completions'))
  const [first, second] = gateway.arrivals
  expect(first?.body).toBe(JSON.stringify({ ...hello, stream: false }))
  expect(second?.body).toBe(first?.body)
})

test('pays from a viem account too, and to a fetch that clients bring', async () => {
  gateway.paid = [complete]
  const client = createFareboxClient({
    baseUrl: `${gateway.url}/`,
    account: viemAccount(),
  })
  expect(client.address).toBe(payer.address)
  const request = { method: 'POST', body: JSON.stringify(hello) }
  const answers = [
    await client.fetch('/v1/chat/completions', request),
    await client.fetch(new Request(`${gateway.url}/v1/chat/completions`, request)),
  ]
  expect(await Promise.all(answers.map(async (answer) => await answer.json()))).toEqual([
    completion,
    completion,
  ])
  expect(await received()).toBe(2000n)
})

function viemAccount(): NonNullable<FareboxClientOptions['account']> {
  const { address, signTypedData } = privateKeyToAccount(payer.privateKey)
  return { address, signTypedData: (message) => signTypedData(message) }
}

test('a call above its cap is refused before anything is signed', async () => {
  gateway.paid = [complete]
  const client = connect({ maxAmountPerCall: atomicUsdc(999n) })
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'amount_above_call_cap',
    message: 'The call costs up to 0.001000 USDC, more than the 0.000999 that one call may.',
  })
  expect(signatures()).toEqual([])
  expect(client.spent()).toBe(0n)
  await client.chat(hello, { maxAmount: atomicUsdc(1000n) })
  expect(client.spent()).toBe(1000n)
})

test('unless told otherwise a call may cost 0.10 USDC', async () => {
  gateway.paid = [complete]
  gateway.offers = [usdcOffer(devnet, '100001')]
  await expect(connect().chat(hello)).rejects.toMatchObject({ code: 'amount_above_call_cap' })
  gateway.offers = [usdcOffer(devnet, '100000')]
  await connect().chat(hello)
})

test('concurrent calls keep to the total together', async () => {
  gateway.paid = [complete]
  const client = connect({ maxTotal: atomicUsdc(2999n) })
  const results = await Promise.allSettled([1, 2, 3, 4].map(async () => await client.chat(hello)))
  expect(results.map((result) => result.status).sort()).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({
    code: 'amount_above_total_cap',
  })
  expect(signatures()).toHaveLength(2)
  expect(await received()).toBe(2000n)
})

test('before the total refuses a call, it learns what earlier calls did cost', async () => {
  gateway.paid = [complete]
  gateway.free = { '/v1/payments/pay_1': (response) => json(response, 200, payment) }
  const client = connect({ maxTotal: atomicUsdc(1500n) })
  await client.chat(hello)
  expect(client.spent()).toBe(1000n)
  await client.chat(hello)
  expect(client.spent()).toBe(1400n)
  await client.payment('pay_1')
  expect(client.spent()).toBe(800n)
})

test('a 503 with Retry-After is repeated with the same authorisation', async () => {
  const busy: Script = (response) => {
    response.setHeader('retry-after', '0')
    json(response, 503, {
      error: { message: 'Wait.', type: 'service_unavailable', code: 'payment_in_flight' },
    })
  }
  gateway.paid = [busy, busy, complete]
  await connect().chat(hello)
  expect(signatures()).toHaveLength(3)
  expect(new Set(signatures()).size).toBe(1)
  expect(await received()).toBe(1000n)
})

test('a connection that breaks after the payment is repeated with the same authorisation', async () => {
  const settleAndBreak: Script = async (response, arrival) => {
    await gateway.settle(arrival)
    response.destroy()
  }
  const replay: Script = (response) => json(response, 200, completion)
  gateway.paid = [settleAndBreak, hangUp, replay]
  const client = connect()
  await client.chat(hello)
  expect(new Set(signatures()).size).toBe(1)
  expect(signatures()).toHaveLength(3)
  expect(await received()).toBe(1000n)
  expect(client.spent()).toBe(1000n)
})

test('a connection that stays broken is an error of its own, and counts as spent', async () => {
  gateway.paid = [hangUp]
  const client = connect({ patienceSeconds: 0 })
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'connection_lost' })
  expect(client.spent()).toBe(1000n)
})

test('a 503 that outlasts the patience is reported with its payment', async () => {
  gateway.paid = [
    (response) => {
      response.setHeader('retry-after', '9')
      response.setHeader('x-payment-id', 'pay_1')
      json(response, 503, {
        error: { message: 'Unknown.', type: 'service_unavailable', code: 'settlement_unknown' },
      })
    },
  ]
  const client = connect({ patienceSeconds: 1 })
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'settlement_unknown',
    status: 503,
    paymentId: 'pay_1',
    retryAfterSeconds: 9,
  })
  expect(client.spent()).toBe(1000n)
})

test('a gateway that does not answer is an error that says so, and costs nothing', async () => {
  await gateway.stop()
  for (const client of [connect(), createFareboxClient({ baseUrl: gateway.url })]) {
    const failure = {
      code: 'connection_failed',
      message: `${gateway.url} does not answer; nothing was paid.`,
    }
    await expect(client.chat(hello)).rejects.toMatchObject(failure)
    await expect(client.models()).rejects.toMatchObject(failure)
    await expect(client.models({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
    expect(client.spent()).toBe(0n)
  }
})

test('an aborted call stops waiting', async () => {
  const stopping = new AbortController()
  gateway.paid = [
    (response) => {
      response.setHeader('retry-after', '30')
      json(response, 503, {})
      setTimeout(() => stopping.abort(), 5)
    },
  ]
  await expect(connect().chat(hello, { signal: stopping.signal })).rejects.toThrow(/abort/)
})

test('a payment that is refused costs nothing and is not signed again', async () => {
  gateway.paid = [(response) => challenge(response, gateway.offers, 'The payment was refused.')]
  const client = connect()
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'payment_rejected',
    status: 402,
    message: 'The payment was refused.',
  })
  expect(signatures()).toHaveLength(1)
  expect(client.spent()).toBe(0n)
})

test('a failure that says what it cost is counted at that', async () => {
  const failed = {
    error: { message: 'Refunded.', type: 'service_unavailable', code: 'upstream_unavailable' },
    payment: { ...payment, cost: { usdc: '0', usd: '0' } },
  }
  gateway.paid = [(response) => json(response, 503, failed)]
  const client = connect()
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'upstream_unavailable' })
  expect(client.spent()).toBe(0n)
})

test('a 400 after a lost answer does not hide that the first was taken', async () => {
  const used = {
    error: { message: 'Used.', type: 'invalid_request_error', code: 'authorization_used' },
  }
  gateway.paid = [hangUp, (response) => json(response, 400, used)]
  const client = connect()
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'authorization_used' })
  expect(client.spent()).toBe(1000n)
})

test.each([
  ['another network', { network: 'eip155:1' }],
  ['another token', { asset: '0x0000000000000000000000000000000000000001' }],
  ['another scheme', { scheme: 'upto' }],
  ['another way to transfer', { extra: { assetTransferMethod: 'permit2' } }],
  ['an amount that is no number', { amount: '1.5' }],
  ['another payee than the one named', { payTo: '0x0000000000000000000000000000000000000001' }],
] as const)('an offer of %s is not paid', async (_, change) => {
  gateway.paid = [complete]
  gateway.offers = [{ ...usdcOffer(devnet), ...change }]
  const client = connect({ payTo: devnet.treasury.address })
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'no_acceptable_payment' })
  expect(signatures()).toEqual([])
})

test('of several offers the cheapest that fits is paid', async () => {
  gateway.paid = [complete]
  gateway.offers = [
    usdcOffer(devnet, '3000'),
    { ...usdcOffer(devnet, '1'), scheme: 'upto' },
    usdcOffer(devnet, '2000'),
  ]
  await connect().chat(hello)
  expect(await received()).toBe(2000n)
})

test.each([
  ['no header', undefined],
  ['no base64', '%%%'],
  ['version 1', Buffer.from('{"x402Version":1,"accepts":[]}').toString('base64')],
])('a 402 with %s is not paid', async (_, header) => {
  gateway.free = {
    '/v1/chat/completions': (response) => {
      if (header !== undefined) response.setHeader('payment-required', header)
      json(response, 402, {})
    },
  }
  await expect(connect().chat(hello)).rejects.toMatchObject({ code: 'no_acceptable_payment' })
})

test('without an account a paid call says so', async () => {
  const client = createFareboxClient({ baseUrl: gateway.url })
  expect(client.address).toBeUndefined()
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'payment_required', status: 402 })
})

test('streams chunks as they come, and the record of the payment with them', async () => {
  gateway.paid = [
    stream(
      ': keep-alive',
      `data: ${JSON.stringify(chunk('Hel'))}`,
      `data: ${JSON.stringify(chunk('lo.'))}`,
      `: receipt ${JSON.stringify(payment)}`,
      'data: [DONE]',
    ),
  ]
  const client = connect()
  const answer = await client.chatStream(hello)
  expect(answer.receipt).toMatchObject({ settled: true, paymentId: 'pay_1' })
  expect(answer.payment()).toBeUndefined()
  const texts: (string | null | undefined)[] = []
  for await (const part of answer) texts.push(part.choices[0]?.delta.content)
  expect(texts).toEqual(['Hel', 'lo.'])
  expect(answer.payment()).toEqual(payment)
  expect(client.spent()).toBe(400n)
})

test.each([
  ['ends early', [`data: ${JSON.stringify(chunk('Hel'))}`], 'stream_truncated'],
  [
    'reports an error',
    [
      `data: ${JSON.stringify(chunk('Hel'))}`,
      'data: {"error":{"message":"Cut.","type":"api_error","code":"upstream_truncated"}}',
    ],
    'upstream_truncated',
  ],
  ['holds something else', ['data: {"surprise":1}'], 'invalid_response'],
])('a stream that %s is an error', async (_, events, code) => {
  gateway.paid = [stream(...events)]
  const answer = await connect().chatStream(hello)
  const read = async (): Promise<void> => {
    for await (const part of answer) expect(part.choices).toHaveLength(1)
  }
  await expect(read()).rejects.toMatchObject({ code, paymentId: 'pay_1' })
})

test('a stream that is left early ends the call', async () => {
  let closed: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    closed = resolve
  })
  gateway.paid = [
    async (response, arrival) => {
      response.once('close', () => closed())
      response.writeHead(200, await gateway.settle(arrival))
      response.write(`data: ${JSON.stringify(chunk('Hel'))}\n\n`)
    },
  ]
  for await (const _part of await connect().chatStream(hello)) break
  await expect(ended).resolves.toBeUndefined()
})

test('draws images and counts what they cost', async () => {
  const image = {
    model: 'sandbox/draw',
    dimensions: '512×512',
    images: [{ url: 'http://127.0.0.1/1.png' }],
    number_of_images: 1,
    cost: { usd: '0.0003', usdc: '300' },
  }
  gateway.paid = [
    async (response, arrival) => {
      for (const [name, value] of Object.entries(await gateway.settle(arrival))) {
        response.setHeader(name, value)
      }
      json(response, 200, image)
    },
  ]
  const client = connect()
  const { result, receipt } = await client.images.generate({ prompt: 'A cat', width: 512 })
  expect(result).toEqual(image)
  expect(receipt?.settled).toBe(true)
  expect(client.spent()).toBe(300n)
})

test('reads the free endpoints', async () => {
  const estimate = {
    model: 'sandbox/echo',
    estimatedInputTokens: 3,
    estimatedOutputTokens: 4096,
    estimatedCost: { usd: '0.001', note: 'n' },
    message: 'm',
  }
  const list = { total: 0, models: [] }
  const health = {
    status: 'ok',
    timestamp: '2026-11-20T00:00:00Z',
    network: 'base-sepolia',
    mainnet: false,
    cdp: 'not configured',
  }
  gateway.free = {
    '/v1/estimate': (response) => json(response, 200, estimate),
    '/v1/models': (response) => json(response, 200, list),
    '/v1/images/models': (response) => json(response, 200, list),
    '/health': (response) => json(response, 200, health),
    '/v1/payments/a%2Fb': (response) => json(response, 200, payment),
  }
  const client = createFareboxClient({ baseUrl: gateway.url })
  expect(await client.estimate(hello)).toEqual(estimate)
  expect(await client.models()).toEqual(list)
  expect(await client.images.models()).toEqual(list)
  expect(await client.health()).toMatchObject({ network: 'base-sepolia' })
  expect(await client.payment('a/b')).toEqual(payment)
})

test.each([
  [
    400,
    {
      error: {
        message: 'model is unknown.',
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      },
    },
    { code: 'model_not_found', param: 'model', message: 'model is unknown.' },
  ],
  [429, { error: 'Too many requests', code: 'RATE_LIMITED' }, { code: 'RATE_LIMITED' }],
  [400, { error: 'INVALID_DIMENSIONS', message: 'width' }, { code: 'INVALID_DIMENSIONS' }],
  [502, 'bad gateway', { code: 'invalid_response', message: 'The server answered 502.' }],
  [
    200,
    { surprise: 1 },
    { code: 'invalid_response', message: 'The answer is not what it should be.' },
  ],
])('status %i with %j becomes an error with its code', async (status, body, error) => {
  gateway.free = { '/v1/estimate': (response) => json(response, status, body) }
  await expect(connect().estimate(hello)).rejects.toMatchObject({ ...error, status })
})

test.each([
  [{ baseUrl: 'nowhere' }, /baseUrl is no URL/],
  [{ privateKey: '0x1234' as const }, /privateKey is not/],
  [{ account: { address: '0x1', signTypedData: async () => '0x1' as const } as const }, /not both/],
])('options that cannot work are refused at once', (options, message) => {
  expect(() => connect(options)).toThrow(message)
})
