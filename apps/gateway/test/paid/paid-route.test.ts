import { bodyErrorResponse, createBodyBudget } from '@farebox/http'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AdmissionRequest, PaymentGate } from '@farebox/payments'
import { UpstreamError } from '@farebox/provider-proxy'
import { expect, test } from 'vitest'
import { chatError } from '../../src/chat/chat-error.ts'
import { createFreeQuota } from '../../src/paid/free/free-quota.ts'
import { createOpenRequests, type OpenRequests } from '../../src/paid/open-requests.ts'
import type { PaidEndpoint } from '../../src/paid/paid-endpoint.ts'
import type { PaidDeps } from '../../src/paid/paid-route.ts'
import { beaten, codeOf, offer, openRoute, payment, signed, unexpected } from './open-route.ts'

test('a fault of our own while a payment is served refunds it', async () => {
  const fault = new Error('a fault')
  const { ask } = await openRoute({
    gate: { begin: async () => ({ status: 'begun', payment }) },
    endpoint: { complete: () => Promise.reject(fault) },
    deps: {
      refundFault: async (error, call) => {
        call.response.status(500).json({ refunded: call.payment.id, isFault: error === fault })
      },
    },
  })
  expect(await (await ask()).json()).toEqual({ refunded: payment.id, isFault: true })
})

test('an admission that throws aborts the call that it overlaps with', async () => {
  const called = Promise.withResolvers<AbortSignal>()
  const admit: PaymentGate['admit'] = async ({ startOverlapping }) => {
    startOverlapping?.(payment)
    await called.promise
    throw new Error('the store is gone')
  }
  const complete: PaidEndpoint<string, never>['complete'] = (_, { signal }) => {
    called.resolve(signal)
    return Promise.withResolvers<never>().promise
  }
  const { ask } = await openRoute({ gate: { admit }, endpoint: { complete } })
  expect((await ask(signed, '{}')).status).toBe(500)
  expect((await called.promise).aborted).toBe(true)
})

test('the body of a request that waits for the gate uses memory until it is decided, also without its client', async () => {
  const { promise: decided, resolve: decide } = Promise.withResolvers<undefined>()
  let asked = 0
  const admit: PaymentGate['admit'] = async () => {
    asked += 1
    await decided
    return { status: 'settled', payment, headers: {} }
  }
  const budget = createBodyBudget(1_000_000, { maxBytes: 150_000, inUseBytes: 150_000 })
  const quote: PaidEndpoint<string, never>['quote'] = async (body) =>
    body.status === 'json'
      ? { status: 'priced', sale: 'sale', offers: [offer], digest: '', challenge: {} }
      : { status: 'refused', error: bodyErrorResponse(body) }
  const { url, ask } = await openRoute({ gate: { admit }, endpoint: { quote }, deps: { budget } })
  const large = JSON.stringify({ field: 'a'.repeat(100_000) })
  const leaving = new AbortController()
  const { signal } = leaving
  const left = fetch(url, { method: 'POST', headers: signed, body: large, signal }).catch(() => {})
  await expect.poll(() => asked).toBe(1)
  leaving.abort()
  await left
  expect(await codeOf(await ask(signed, large))).toBe('overloaded')
  const small = ask(signed, '{}')
  await expect.poll(() => asked).toBe(2)
  decide(undefined)
  expect((await small).status).toBe(503)
  await expect.poll(async () => await codeOf(await ask(signed, large))).toBe('payment_in_flight')
})

test('a large response that is sent again uses memory until it is read, or its client has left', async () => {
  const body = new Uint8Array(32_000_000)
  const answer = { statusCode: 200, contentType: 'application/json', body, expiresAt: 0 }
  const admit: PaymentGate['admit'] = async () => ({
    status: 'replayed',
    payment,
    answer,
    headers: {},
  })
  const budget = createBodyBudget(1_000_000, { maxBytes: 40_000_000, inUseBytes: 40_000_000 })
  const { ask } = await openRoute({ gate: { admit }, deps: { budget } })
  const unread = await ask()
  const refused = await ask()
  expect(refused.headers.get('x-payment-id')).toBe(payment.id)
  expect(await codeOf(refused)).toBe('overloaded')
  await unread.body?.cancel()
  await expect.poll(async () => await lengthOf(await ask())).toBe(32_000_000)
  expect(await lengthOf(await ask())).toBe(32_000_000)
})

const lengthOf = async (response: Response) => (await response.arrayBuffer()).byteLength

test('the gate gets the network address of the client', async () => {
  const addresses: (string | undefined)[] = []
  const admit: PaymentGate['admit'] = async ({ clientAddress }) => {
    addresses.push(clientAddress)
    return { status: 'settled', payment, headers: {} }
  }
  const { ask } = await openRoute({ gate: { admit } })
  await ask()
  expect(addresses).toEqual(['127.0.0.1'])
})

test('a payment that another replica serves is not served twice', async () => {
  let calls = 0
  const complete = (): never => {
    calls += 1
    return unexpected()
  }
  const { ask } = await openRoute({ endpoint: { complete } })
  const response = await ask(signed, '{}')
  expect(calls).toBe(0)
  expect(response.status).toBe(503)
  expect(response.headers.get('x-payment-id')).toBe(payment.id)
  expect(await response.json()).toMatchObject({ error: { code: 'payment_in_flight' } })
})

/** What the gate was asked, which answers with a 402. */
function priced() {
  const asked: AdmissionRequest[] = []
  const admit: PaymentGate['admit'] = async (request) => {
    asked.push(request)
    return { status: 'required', body: {}, headers: { 'PAYMENT-REQUIRED': 'terms' } }
  }
  return { asked, gate: { admit, begin: unexpected } }
}

test('a 402 is answered as it is, names the public address, and begins nothing', async () => {
  const { asked, gate } = priced()
  const { ask, observation } = await openRoute({ gate })
  expect((await ask({}, '{}')).status).toBe(402)
  expect((await ask()).status).toBe(402)
  expect(asked[0]?.resource.url).toBe('https://pay.example/v1/test')
  expect(
    observation()
      .phases()
      .map(({ phase }) => phase),
  ).toEqual(['quote', 'admit'])
})

test.each([
  [{ 'PAYMENT-SIGNATURE': 'two' }, { 'payment-signature': 'two', 'x-payment': undefined }],
  [{ 'X-PAYMENT': 'one' }, { 'payment-signature': undefined, 'x-payment': 'one' }],
  [{}, { 'payment-signature': undefined, 'x-payment': undefined }],
])('the gate is shown the payment of either protocol: %j', async (headers, shown) => {
  const { asked, gate } = priced()
  const { ask, observation } = await openRoute({ gate })
  await ask(headers)
  expect(asked[0]?.headers).toEqual(expect.objectContaining(definedOf(shown)))
  expect(Object.keys(definedOf(asked[0]!.headers))).toEqual(Object.keys(definedOf(shown)))
  // A request for the price alone is not measured as an admission.
  const phases = observation()
    .phases()
    .map(({ phase }) => phase)
  expect(phases).toEqual(Object.keys(headers).length === 0 ? ['quote'] : ['quote', 'admit'])
})

function definedOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

test('a replay secret that is too long is a 400 before anything is priced', async () => {
  const { ask } = await openRoute({ endpoint: { quote: unexpected } })
  const response = await ask({ ...signed, 'X-Replay-Secret': 's'.repeat(257) })
  expect(response.status).toBe(400)
})

test('a request that cannot be priced is refused before any payment', async () => {
  const error = chatError({ status: 400, code: 'invalid_json', message: 'No.' })
  const quote = async () => ({ status: 'refused', error }) as const
  const { ask } = await openRoute({ gate: { admit: unexpected }, endpoint: { quote } })
  expect((await ask()).status).toBe(400)
})

test('a payment without a body is a 400 that names the field; without a payment it is quoted', async () => {
  const quoted: string[] = []
  const error = chatError({ status: 400, code: 'invalid_json', message: 'No.' })
  const quote: PaidEndpoint<string, never>['quote'] = async ({ status }) => {
    quoted.push(status)
    return { status: 'refused', error }
  }
  const { ask } = await openRoute({ gate: { admit: unexpected }, endpoint: { quote } })
  for (const headers of [signed, { 'PAYMENT-SIGNATURE': 'two' }]) {
    const response = await ask(headers, null)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'missing_field', param: 'field' },
    })
  }
  expect(quoted).toEqual([])
  await ask({}, null)
  expect(quoted).toEqual(['absent'])
})

test('while nothing is sold no price is stated, and an earlier payment is still answered', async () => {
  const reasons: unknown[] = []
  const admit: PaymentGate['admit'] = async ({ salesStoppedReason }) => {
    reasons.push(salesStoppedReason)
    const challenge = { body: {}, headers: {} }
    return reasons.length === 1
      ? { status: 'rejected', ...challenge }
      : {
          status: 'unavailable',
          code: 'payments_unavailable',
          retryAfterSeconds: 5,
          message: 'The gate is closed.',
          reason: 'stopped',
        }
  }
  const { ask } = await openRoute({
    gate: { admit },
    deps: { salesObstacle: () => 'sales_stopped' },
  })
  const unpaid = await ask({})
  expect([unpaid.status, await codeOf(unpaid)]).toEqual([503, 'sales_stopped'])
  expect((await ask()).status).toBe(402)
  const stopped = await ask()
  expect(stopped.status).toBe(503)
  const { error } = await stopped.json()
  expect(error.code).toBe('sales_stopped')
  // An earlier request with the same payment, whose response was lost, may have moved some.
  expect(error.message).toContain('This request moved no money. Repeat it later.')
  expect(reasons).toEqual(['sales_stopped', 'sales_stopped'])
})

test('a gate that cannot take payments states it, while everything is sold', async () => {
  const admit: PaymentGate['admit'] = async () => ({
    status: 'unavailable',
    code: 'balance_in_use',
    retryAfterSeconds: 2,
    message: 'In use.',
    reason: 'balance_in_use',
  })
  const { ask } = await openRoute({ gate: { admit } })
  expect(await codeOf(await ask())).toBe('balance_in_use')
})

test('a request whose model no provider can serve gets a 503 before its client signs', async () => {
  const unavailable = () => ({ status: 503, code: 'model_unavailable', message: 'Down.' }) as const
  const { asked, gate } = priced()
  const { ask } = await openRoute({ gate, endpoint: { unavailable } })
  const unsigned = await ask({}, '{}')
  expect([unsigned.status, await codeOf(unsigned)]).toEqual([503, 'model_unavailable'])
  expect(asked).toEqual([])
  // A payment may belong to a call that was served: the gate answers it.
  await ask()
  expect(asked.map(({ salesStoppedReason }) => salesStoppedReason)).toEqual(['model_unavailable'])
})

test('a request without a body gets the price, whether or not a provider is available', async () => {
  const { gate } = priced()
  const { ask } = await openRoute({ gate, endpoint: { unavailable: unexpected } })
  expect((await ask({}, null)).status).toBe(402)
})

test.each([
  { steps: [], phases: ['quote', 'admit'] },
  { steps: ['checked'], phases: ['quote', 'check', 'admit'] },
  {
    steps: ['checked', 'solvent', 'claimed'],
    phases: ['quote', 'check', 'payer', 'admit', 'settle'],
  },
  {
    steps: ['checked', 'solvent', 'claimed', 'proven'],
    phases: ['quote', 'check', 'payer', 'admit', 'settle'],
  },
] as const)('a payment is observed with the phases of $steps', async ({ steps, phases }) => {
  const admit: PaymentGate['admit'] = async ({ onStep }) => {
    for (const step of steps) onStep?.(step)
    return { status: 'settled', payment, headers: {} }
  }
  const { ask, observation } = await openRoute({ gate: { admit } })
  await ask()
  expect(observation().payment()?.id).toBe(payment.id)
  const ended = observation().phases()
  expect(ended.map(({ phase }) => phase)).toEqual(phases)
})

const settled = { ...payment, status: 'settled' } as const
const serving = { ...payment, status: 'serving' } as const
const call = { ...serving, kind: 'channel_call' } as const
test.each([
  { what: 'a settled payment is abandoned', admitted: settled, causes: ['client_left'] },
  { what: 'a call of a channel is abandoned', admitted: call, causes: ['client_left'] },
  { what: 'a service that its proof began continues', admitted: serving, causes: [] },
])('when its client has left, $what', async ({ admitted, causes }) => {
  const [asked, left, over] = [0, 1, 2].map(() => Promise.withResolvers<unknown>())
  const abandoned: string[] = []
  const client = new AbortController()
  const { url } = await openRoute({
    gate: {
      admit: async ({ isWanted }) => {
        asked!.resolve(null)
        await left!.promise
        expect(isWanted?.()).toBe(false)
        return { status: 'settled', payment: admitted, headers: {} }
      },
      abandon: async (_, cause) => {
        abandoned.push(cause)
        over!.resolve(null)
      },
      begin: async (begun) => {
        over!.resolve(null)
        return await beaten.begin(begun)
      },
    },
    deps: {
      openRequests: watched(() => left!.resolve(null)),
    },
  })
  const request = fetch(url, {
    method: 'POST',
    headers: signed,
    body: '{}',
    signal: client.signal,
  })
  await asked!.promise
  client.abort()
  await expect(request).rejects.toThrow('aborted')
  await over!.promise
  expect(abandoned).toEqual(causes)
})

/** Tells when the client of a request has left. */
function watched(onLeft: () => void): OpenRequests {
  const open = createOpenRequests()
  return {
    ...open,
    enter: (response) => {
      const request = open.enter(response)
      request?.signal.addEventListener('abort', onLeft)
      return request
    },
  }
}

test('a gateway that has to stop releases the payment without blaming its client', async () => {
  const openRequests = createOpenRequests()
  const causes: string[] = []
  const { ask } = await openRoute({
    gate: {
      admit: async () => {
        openRequests.abort()
        return { status: 'settled', payment: settled, headers: {} }
      },
      abandon: async (_, cause) => {
        causes.push(cause)
        throw new Error('released')
      },
    },
    deps: { openRequests },
  })
  await ask()
  expect(causes).toEqual(['service_stopping'])
})

test('the free quota serves a request without a payment that does not decline it', async () => {
  const { gate } = priced()
  let calls = 0
  const { ask } = await openRoute({
    gate,
    endpoint: {
      complete: async () => {
        calls += 1
        const options = { code: 'upstream_unavailable', provider: 'sandbox' } as const
        return { status: 'failed', error: new UpstreamError('it failed', options) }
      },
    },
    deps: { free: freeDeps() },
  })
  expect((await ask({ 'X-Free-Quota': 'off' }, '{}')).status).toBe(402)
  expect((await ask(signed, '{}')).status).toBe(402)
  expect((await ask({}, null)).status).toBe(402)
  expect(calls).toBe(0)
  expect(await (await ask({}, '{}')).text()).toContain('Nothing of the free quota was used')
  expect(calls).toBe(1)
})

function freeDeps(): NonNullable<PaidDeps['free']> {
  const quota = createFreeQuota({
    store: createMemoryStore(),
    perAddress: atomicUsdc(10_000n),
    inAll: atomicUsdc(10_000n),
    minimumCharge: atomicUsdc(1n),
    now: Date.now,
    onUsedUp: () => undefined,
  })
  return { quota, lossMonitor: unexpected, count: () => undefined, report: () => undefined }
}
