import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { createFareboxClient, type FareboxClient } from '../../src/index.ts'
import { chunk, payment } from '../support/bodies.ts'
import { json } from '../support/test-gateway.ts'
import { testStage } from '../support/test-stage.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const
const stage = testStage()
const signTypedData = async () => '0x1' as const
const walletWithoutAccount = { signTypedData }

test('streams chunks as they arrive, followed by the payment record', async () => {
  stage.gateway.paid = [
    stage.stream(
      ': keep-alive',
      `data: ${JSON.stringify(chunk('Hel'))}`,
      `data: ${JSON.stringify(chunk('lo.'))}`,
      `: receipt ${JSON.stringify(payment)}`,
      'data: [DONE]',
    ),
  ]
  const client = stage.connect()
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
  ['contains an unknown event', ['data: {"surprise":1}'], 'invalid_response'],
])('a stream that %s is an error', async (_, events, code) => {
  stage.gateway.paid = [stage.stream(...events)]
  const answer = await stage.connect().chatStream(hello)
  const read = async (): Promise<void> => {
    for await (const part of answer) expect(part.choices).toHaveLength(1)
  }
  await expect(read()).rejects.toMatchObject({ code, paymentId: 'pay_1' })
})

test('leaving a stream early cancels the call', async () => {
  let closed: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    closed = resolve
  })
  stage.gateway.paid = [
    async (response, arrival) => {
      response.once('close', () => closed())
      response.writeHead(200, await stage.gateway.settle(arrival))
      response.write(`data: ${JSON.stringify(chunk('Hel'))}\n\n`)
    },
  ]
  for await (const _part of await stage.connect().chatStream(hello)) break
  await expect(ended).resolves.toBeUndefined()
})

test('generates images and counts their cost', async () => {
  const image = {
    model: 'sandbox/draw',
    dimensions: '512×512',
    images: [{ url: 'http://127.0.0.1/1.png' }],
    number_of_images: 1,
    cost: { usd: '0.0003', usdc: '300' },
  }
  stage.gateway.paid = [
    async (response, arrival) => {
      for (const [name, value] of Object.entries(await stage.gateway.settle(arrival))) {
        response.setHeader(name, value)
      }
      json(response, 200, image)
    },
  ]
  const client = stage.connect()
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
  const images = { total: 0, models: [] }
  const list = { object: 'list', data: [], ...images }
  const health = {
    status: 'ok',
    timestamp: '2026-11-20T00:00:00Z',
    network: 'base-sepolia',
    mainnet: false,
    cdp: 'not configured',
  }
  stage.gateway.free = {
    '/v1/estimate': (response) => json(response, 200, estimate),
    '/v1/models': (response) => json(response, 200, list),
    '/v1/images/models': (response) => json(response, 200, images),
    '/health': (response) => json(response, 200, health),
    '/v1/payments/a%2Fb': (response) => json(response, 200, payment),
  }
  const client = createFareboxClient({ baseUrl: stage.gateway.url })
  expect(await client.estimate(hello)).toEqual(estimate)
  expect(await client.models()).toEqual(list)
  expect(await client.images.models()).toEqual(images)
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
  [
    502,
    'bad gateway',
    { code: 'invalid_response', message: 'The server responded with status 502.' },
  ],
  [
    200,
    { surprise: 1 },
    { code: 'invalid_response', message: 'The response body does not match the API.' },
  ],
])('status %i with %j becomes an error with its code', async (status, body, error) => {
  stage.gateway.free = { '/v1/estimate': (response) => json(response, status, body) }
  await expect(stage.connect().estimate(hello)).rejects.toMatchObject({ ...error, status })
})

test.each([
  [{ baseUrl: 'nowhere' }, /baseUrl is not a valid URL: nowhere/],
  [
    { baseUrl: 'localhost:4020' },
    /baseUrl must begin with http:\/\/ or https:\/\/: localhost:4020/,
  ],
  [{ signer: walletWithoutAccount }, /not both/],
  [{ maxTotal: 10 as never }, /maxTotal must be an amount of @farebox\/money/],
  [{ maxAmountPerCall: -1n as never }, /maxAmountPerCall must be an amount/],
  [{ maxAmountTotal: 1n } as never, /A client has no option maxAmountTotal\./],
  [{ account: `0x${'1'.repeat(64)}` as never }, /account must be an account of viem, not a key/],
  [{ account: null as never }, /account must be an account of viem/],
  // A wallet client of viem has no address of its own.
  [
    { account: walletWithoutAccount as never },
    /account must be .*; pass a wallet client as signer/,
  ],
  [{ account: { address: '0x12', signTypedData } as never }, /account must be an account of viem/],
  [
    { account: { address: `0x${'0'.repeat(40)}`, signTypedData } as never },
    /must be an account of viem/,
  ],
  [
    {
      account: undefined as never,
      signer: { account: { address: '0x1' }, signTypedData } as never,
    },
    /signer has no account/,
  ],
  [{ payTo: `0x${'0'.repeat(40)}` as never }, /payTo must be an address/],
  [{ account: undefined as never, signer: null as never }, /signer has no account/],
  [{ fetch: { default: fetch } as never }, /fetch must be a function/],
  [{ networks: [] }, /networks is empty/],
  [{ patienceSeconds: 60n as never }, /patienceSeconds must be a number of seconds/],
  [{ signatureSeconds: '300' as never }, /signatureSeconds must be a number of seconds/],
  [{ channel: { deposit: 0.25 as never } }, /channel\.deposit must be an amount .* above 0/],
  [{ channel: { deposit: 0n as never } }, /channel\.deposit must be an amount .* above 0/],
  [{ channel: { depositt: 1n } as never }, /A channel has no option depositt\./],
  [{ networks: ['ethereum' as never] }, /networks: ethereum is not one of base, base-sepolia/],
  [{ networks: 'ethereum' as never }, /networks: ethereum is not one of base, base-sepolia/],
  [{ payTo: 'farebox.eth' as never }, /payTo must be an address/],
  [{ patienceSeconds: Number.NaN }, /patienceSeconds must be a number of seconds, 0 or more/],
  [{ signatureSeconds: -1 }, /signatureSeconds must be a number of seconds, 0 or more/],
])('invalid options are rejected at construction', (options, message) => {
  expect(() => stage.connect(options)).toThrow(message)
})

test('a call with a misspelled cap is refused before anything is sent', async () => {
  const options = { maxAmountt: 1_000n } as never
  const refused = { code: 'invalid_option', message: 'A call has no option maxAmountt.' }
  await expect(stage.connect().chat(hello, options)).rejects.toMatchObject(refused)
  await expect(stage.connect().chatStream(hello, options)).rejects.toMatchObject(refused)
  expect(stage.gateway.arrivals).toEqual([])
})

const free: readonly (readonly [name: string, call: (options: never) => Promise<unknown>])[] = [
  ['estimate', async (options) => await stage.connect().estimate(hello, options)],
  ['models', async (options) => await stage.connect().models(options)],
  ['images.estimate', async (options) => await stage.connect().images.estimate({}, options)],
  ['images.models', async (options) => await stage.connect().images.models(options)],
  ['payment', async (options) => await stage.connect().payment('pay_1', options)],
  ['waitForRefund', async (options) => await stage.connect().waitForRefund('pay_1', options)],
  ['channel', async (options) => await withChannel().channel(options)],
  ['topUp', async (options) => await withChannel().topUp(atomicUsdc(1n), options)],
  ['closeChannel', async (options) => await withChannel().closeChannel(options)],
  ['health', async (options) => await stage.connect().health(options)],
]

test.each(free)(
  '%s, which has no cap, is refused with one before anything is sent',
  async (...[, call]) => {
    const options = { maxAmount: 1_000n } as never
    const refused = { code: 'invalid_option', message: 'A call has no option maxAmount.' }
    await expect(call(options)).rejects.toMatchObject(refused)
    expect(stage.gateway.arrivals).toEqual([])
  },
)

test.each(['0.0001', 1_000, Number.NaN, null, -1n])(
  'a call with a cap of %s, which is not an amount, is refused before anything is sent',
  async (maxAmount) => {
    const options = { maxAmount: maxAmount as never }
    const refused = { code: 'invalid_option', message: expect.stringMatching(/^maxAmount must be/) }
    await expect(stage.connect().chat(hello, options)).rejects.toMatchObject(refused)
    await expect(stage.connect().chatStream(hello, options)).rejects.toMatchObject(refused)
    expect(stage.gateway.arrivals).toEqual([])
  },
)

test.each([false, null])('a channel that is %s counts as missing', async (channel) => {
  const client = stage.connect({ channel: channel as never })
  await expect(client.topUp(1n as never)).rejects.toMatchObject({ code: 'channel_unavailable' })
})

test('a client without options names the first that it needs', () => {
  expect(() => createFareboxClient(undefined as never)).toThrow('baseUrl is not a valid URL')
})

test('a wallet client without an account is rejected at construction', () => {
  const { url: baseUrl } = stage.gateway
  expect(() => createFareboxClient({ baseUrl, signer: walletWithoutAccount })).toThrow(
    /signer has no account/,
  )
})

function withChannel(): FareboxClient {
  return stage.connect({ channel: {} })
}
