import { atomicUsdc } from '@farebox/money'
import OpenAI from 'openai'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createFareboxClient } from '../src/index.ts'
import { completion, payment } from './support/bodies.ts'
import { challenge, json, type Script, usdcOffer } from './support/test-gateway.ts'
import { testStage } from './support/test-stage.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const
const stage = testStage()

const complete: Script = async (response, arrival) => {
  for (const [name, value] of Object.entries(await stage.gateway.settle(arrival))) {
    response.setHeader(name, value)
  }
  json(response, 200, completion)
}

const hangUp: Script = (response) => {
  response.destroy()
}

function signatures(): readonly string[] {
  return stage.gateway.arrivals.map(({ signature }) => signature).filter((it) => it !== undefined)
}

async function received(): Promise<bigint> {
  return await stage.devnet.usdcBalance(stage.devnet.treasury.address)
}

test('pays for a chat and returns the completion and its receipt', async () => {
  stage.gateway.paid = [complete]
  const { completion: answer, receipt } = await stage.connect().chat(hello)
  expect(answer).toEqual(completion)
  expect(receipt).toMatchObject({
    paymentId: 'pay_1',
    settled: true,
    network: 'eip155:84532',
    payer: stage.payer.address,
    paid: 1000n,
  })
  expect(receipt?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await received()).toBe(1000n)
  expect(stage.gateway.arrivals.map(({ path }) => path)).toEqual(
    Array(2).fill('/v1/chat/completions'),
  )
  const [first, second] = stage.gateway.arrivals
  expect(first?.body).toBe(JSON.stringify({ ...hello, stream: false }))
  expect(second?.body).toBe(first?.body)
})

test('pays from a viem account, and through a custom fetch', async () => {
  stage.gateway.paid = [complete]
  const client = createFareboxClient({
    baseUrl: `${stage.gateway.url}/`,
    account: privateKeyToAccount(stage.payer.privateKey),
  })
  expect(client.address).toBe(stage.payer.address)
  const request = { method: 'POST', body: JSON.stringify(hello) }
  const answers = [
    await client.fetch('/v1/chat/completions', request),
    await client.fetch(new Request(`${stage.gateway.url}/v1/chat/completions`, request)),
  ]
  expect(await Promise.all(answers.map(async (answer) => await answer.json()))).toEqual([
    completion,
    completion,
  ])
  expect(await received()).toBe(2000n)
})

test('a call above its cap is rejected before anything is signed', async () => {
  stage.gateway.paid = [complete]
  const client = stage.connect({ maxAmountPerCall: atomicUsdc(999n) })
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'spend_cap_exceeded',
    cap: { scope: 'call', limit: 999n, left: 999n, price: 1000n },
    message:
      'The call costs up to 0.001 USDC. The cap is 0.000999 USDC for one call. Nothing was paid.',
  })
  expect(signatures()).toEqual([])
  expect(client.spent()).toBe(0n)
  await client.chat(hello, { maxAmount: atomicUsdc(1000n) })
  expect(client.spent()).toBe(1000n)
})

test('calls of one hour share its cap; the clock is the given one', async () => {
  stage.gateway.paid = [complete]
  let now = Date.now()
  const client = stage.connect({ maxAmountPerHour: atomicUsdc(1999n), now: () => now })
  await client.chat(hello)
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'spend_cap_exceeded',
    cap: { scope: 'hour', limit: 1999n, left: 999n, price: 1000n },
  })
  now += 3_600_000
  await client.chat(hello)
})

test('pays from a wallet client', async () => {
  stage.gateway.paid = [complete]
  const client = createFareboxClient({
    baseUrl: stage.gateway.url,
    signer: createWalletClient({
      account: privateKeyToAccount(stage.payer.privateKey),
      transport: http(stage.devnet.rpcUrl),
    }),
  })
  await client.chat(hello)
  expect(client.address).toBe(stage.payer.address)
  expect(await received()).toBe(1000n)
})

test('a call may cost 0.10 USDC by default', async () => {
  stage.gateway.paid = [complete]
  stage.gateway.offers = [usdcOffer(stage.devnet, '100001')]
  await expect(stage.connect().chat(hello)).rejects.toMatchObject({ code: 'spend_cap_exceeded' })
  stage.gateway.offers = [usdcOffer(stage.devnet, '100000')]
  await stage.connect().chat(hello)
})

test('concurrent calls share the total cap', async () => {
  stage.gateway.paid = [complete]
  const client = stage.connect({ maxTotal: atomicUsdc(2999n) })
  const results = await Promise.allSettled([1, 2, 3, 4].map(async () => await client.chat(hello)))
  expect(results.map((result) => result.status).sort()).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({
    code: 'spend_cap_exceeded',
    cap: { scope: 'total' },
  })
  expect(signatures()).toHaveLength(2)
  expect(await received()).toBe(2000n)
})

test('before the total rejects a call, the client asks what earlier calls actually cost', async () => {
  stage.gateway.paid = [complete]
  stage.gateway.free = { '/v1/payments/pay_1': (response) => json(response, 200, payment) }
  const client = stage.connect({ maxTotal: atomicUsdc(1500n) })
  await client.chat(hello)
  expect(client.spent()).toBe(1000n)
  await client.chat(hello)
  expect(client.spent()).toBe(1400n)
  await client.payment('pay_1')
  expect(client.spent()).toBe(800n)
})

test('a 503 with Retry-After is retried with the same authorization', async () => {
  const busy: Script = (response) => {
    response.setHeader('retry-after', '0')
    json(response, 503, {
      error: { message: 'Wait.', type: 'service_unavailable', code: 'payment_in_flight' },
    })
  }
  stage.gateway.paid = [busy, busy, complete]
  await stage.connect().chat(hello)
  expect(signatures()).toHaveLength(3)
  expect(new Set(signatures()).size).toBe(1)
  expect(await received()).toBe(1000n)
})

test('a connection that breaks after the payment is retried with the same authorization', async () => {
  const settleAndBreak: Script = async (response, arrival) => {
    await stage.gateway.settle(arrival)
    response.destroy()
  }
  const replay: Script = (response) => json(response, 200, completion)
  stage.gateway.paid = [settleAndBreak, hangUp, replay]
  const client = stage.connect()
  await client.chat(hello)
  expect(new Set(signatures()).size).toBe(1)
  expect(signatures()).toHaveLength(3)
  expect(await received()).toBe(1000n)
  expect(client.spent()).toBe(1000n)
})

test('a proxy that answers while the gateway restarts does not lose the payment', async () => {
  const proxy =
    (status: number): Script =>
    (response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
    }
  stage.gateway.paid = [proxy(502), proxy(504), complete]
  const client = stage.connect()
  expect((await client.chat(hello)).completion).toEqual(completion)
  expect(signatures()).toHaveLength(3)
  expect(new Set(signatures()).size).toBe(1)
  expect(await received()).toBe(1000n)
})

test('a connection that stays broken throws connection_lost, and counts as spent', async () => {
  stage.gateway.paid = [hangUp]
  const client = stage.connect({ patienceSeconds: 0 })
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'connection_lost' })
  expect(client.spent()).toBe(1000n)
})

test('a 503 at the end of patienceSeconds is thrown with its payment', async () => {
  stage.gateway.paid = [
    (response) => {
      response.setHeader('retry-after', '9')
      response.setHeader('x-payment-id', 'pay_1')
      json(response, 503, {
        error: { message: 'Unknown.', type: 'service_unavailable', code: 'settlement_unknown' },
      })
    },
  ]
  const client = stage.connect({ patienceSeconds: 1 })
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'settlement_unknown',
    status: 503,
    paymentId: 'pay_1',
    retryAfterSeconds: 9,
  })
  expect(client.spent()).toBe(1000n)
})

test('an unreachable gateway throws connection_failed, and costs nothing', async () => {
  await stage.gateway.stop()
  for (const client of [stage.connect(), createFareboxClient({ baseUrl: stage.gateway.url })]) {
    await expect(client.chat(hello)).rejects.toMatchObject({
      code: 'connection_failed',
      message: `${stage.gateway.url} could not be reached; nothing was paid.`,
    })
    await expect(client.payment('pay_1')).rejects.toMatchObject({
      code: 'connection_failed',
      message: `${stage.gateway.url} could not be reached.`,
    })
    await expect(client.models({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
    expect(client.spent()).toBe(0n)
  }
})

test('an aborted call stops waiting', async () => {
  const stopping = new AbortController()
  stage.gateway.paid = [
    (response) => {
      response.setHeader('retry-after', '30')
      json(response, 503, {})
      setTimeout(() => stopping.abort(), 5)
    },
  ]
  await expect(stage.connect().chat(hello, { signal: stopping.signal })).rejects.toThrow(/abort/)
})

test('a rejected payment costs nothing and is not signed again', async () => {
  stage.gateway.paid = [
    (response) => challenge(response, stage.gateway.offers, 'The payment was rejected.'),
  ]
  const client = stage.connect()
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'payment_rejected',
    status: 402,
    message: 'The payment was rejected.',
  })
  expect(signatures()).toHaveLength(1)
  expect(client.spent()).toBe(0n)
})

test('an unpaid call of a third-party client resolves to a 402 with the reason', async () => {
  const funds = '0xbeAf holds 0.000000 USDC on base-sepolia; 0.001000 is needed.'
  stage.gateway.paid = [(response) => challenge(response, stage.gateway.offers, funds)]
  const capped = stage.connect({ maxAmountPerCall: atomicUsdc(1n) })
  const unpaying = createFareboxClient({ baseUrl: stage.gateway.url })
  const said = await Promise.all(
    [stage.connect(), capped, unpaying].map(async (client) => {
      const openai = new OpenAI({
        baseURL: `${stage.gateway.url}/v1`,
        apiKey: 'none',
        fetch: client.fetch,
      })
      return await openai.chat.completions
        .create({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
        .catch((error: unknown) => error)
    }),
  )
  expect(said).toMatchObject([
    { status: 402, code: 'payment_rejected', message: `402 ${funds}` },
    { status: 402, code: 'spend_cap_exceeded' },
    { status: 402, code: 'payment_required' },
  ])
  expect(signatures()).toHaveLength(1)
})

test('waitForRefund asks until the refund is confirmed, and gives up in time', async () => {
  const states = ['due', 'submitted', 'confirmed'] as const
  let asked = 0
  stage.gateway.free = {
    '/v1/payments/pay_1': (response) => {
      const status = states[Math.min(asked, 2)]
      asked += 1
      json(response, 200, { ...payment, refund: { ...payment.refund, status } })
    },
    '/v1/payments/pay_2': (response) => json(response, 200, payment),
  }
  const client = stage.connect()
  expect(await client.waitForRefund('pay_1')).toMatchObject({ refund: { status: 'confirmed' } })
  expect(asked).toBe(3)
  await expect(client.waitForRefund('pay_2', { timeoutSeconds: 0 })).rejects.toMatchObject({
    code: 'refund_pending',
    paymentId: 'pay_2',
  })
})

test('an error that states its cost is counted at that cost', async () => {
  const failed = {
    error: { message: 'Refunded.', type: 'service_unavailable', code: 'upstream_unavailable' },
    payment: { ...payment, cost: { usdc: '0', usd: '0' } },
  }
  stage.gateway.paid = [(response) => json(response, 503, failed)]
  const client = stage.connect()
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'upstream_unavailable' })
  expect(client.spent()).toBe(0n)
})

test('a 400 after a lost response does not hide that the first attempt was paid', async () => {
  const used = {
    error: { message: 'Used.', type: 'invalid_request_error', code: 'authorization_used' },
  }
  stage.gateway.paid = [hangUp, (response) => json(response, 400, used)]
  const client = stage.connect()
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'authorization_used' })
  expect(client.spent()).toBe(1000n)
})

test.each([
  ['another network', { network: 'eip155:1' }],
  ['another token', { asset: '0x0000000000000000000000000000000000000001' }],
  ['another scheme', { scheme: 'upto' }],
  ['another transfer method', { extra: { assetTransferMethod: 'permit2' } }],
  ['an amount that is not a whole number', { amount: '1.5' }],
  ['a payee other than payTo', { payTo: '0x0000000000000000000000000000000000000001' }],
] as const)('an offer of %s is not paid', async (_, change) => {
  stage.gateway.paid = [complete]
  stage.gateway.offers = [{ ...usdcOffer(stage.devnet), ...change }]
  const client = stage.connect({ payTo: stage.devnet.treasury.address })
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'no_acceptable_payment' })
  expect(signatures()).toEqual([])
})

test('an offer for another payee is named with both payees', async () => {
  const other = '0x0000000000000000000000000000000000000001'
  const client = stage.connect({ payTo: other, networks: ['base-sepolia'] })
  const { asset, payTo } = usdcOffer(stage.devnet)
  await expect(client.chat(hello)).rejects.toMatchObject({
    message: `The server accepts exact ${asset} on eip155:84532 to ${payTo}; this client pays USDC on eip155:84532 only to ${other}.`,
  })
})

test('pays the cheapest of several acceptable offers', async () => {
  stage.gateway.paid = [complete]
  stage.gateway.offers = [
    usdcOffer(stage.devnet, '3000'),
    { ...usdcOffer(stage.devnet, '1'), scheme: 'upto' },
    usdcOffer(stage.devnet, '2000'),
  ]
  await stage.connect().chat(hello)
  expect(await received()).toBe(2000n)
})

test.each([
  ['no header', undefined],
  ['invalid base64', '%%%'],
  ['version 1', Buffer.from('{"x402Version":1,"accepts":[]}').toString('base64')],
])('a 402 with %s is not paid', async (_, header) => {
  stage.gateway.free = {
    '/v1/chat/completions': (response) => {
      if (header !== undefined) response.setHeader('payment-required', header)
      json(response, 402, {})
    },
  }
  await expect(stage.connect().chat(hello)).rejects.toMatchObject({ code: 'no_acceptable_payment' })
})

test('without an account a paid call throws payment_required', async () => {
  const client = createFareboxClient({ baseUrl: stage.gateway.url })
  expect(client.address).toBeUndefined()
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'payment_required', status: 402 })
})
