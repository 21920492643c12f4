import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  chatChunkSchema,
  chatCompletionSchema,
  chatEstimateSchema,
  errorSchema,
  imageResultSchema,
  maxReplaySecretLength,
  paymentRequiredSchema,
} from '@farebox/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buy, chatOf, eventsOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const pay = (payer: number, body: unknown, path: string = chatPath): Promise<Response> =>
  buy(gateway, payer, { body, path })

/** Every phase of a paid request with its milliseconds. */
const timed = new RegExp(
  `^${['quote', 'check', 'payer', 'admit', 'settle', 'begin', 'upstream']
    .map((phase) => `${phase};dur=[\\d.]+`)
    .join(', ')}$`,
)

/** The challenge of x402 version 2. */
function challengeOf({ headers }: Response) {
  return JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString())
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

describe('the 402', () => {
  test('carries both protocols and the quote, equal to the estimate', async () => {
    const body = chatOf('What does it cost?')
    const answer = await post(gateway, chatPath, { body })
    expect(answer.status).toBe(402)
    const required = paymentRequiredSchema.parse(await answer.json())
    const header = challengeOf(answer)
    const estimate = chatEstimateSchema.parse(
      await (await post(gateway, '/v1/estimate', { body })).json(),
    )
    expect(required).toMatchObject({
      statusCode: 402,
      error: 'Payment Required',
      x402Version: 1,
      quote: {
        model: body.model,
        outputTokens: 2000,
        maximum: { usd: estimate.estimatedCost.usd },
        minimum: { usd: '0.001', usdc: '1000' },
      },
    })
    expect(required.accepts[0]?.['maxAmountRequired']).toBe(header.accepts[0].amount)
    expect(required.accepts[0]?.['network']).toBe('base-sepolia')
    expect(header).toMatchObject({ x402Version: 2, resource: { url: `${gateway.url}${chatPath}` } })
    expect(answer.headers.get('cache-control')).toContain('no-store')
  })

  test.each([chatPath, imagePath])('is sent for a probe without a body: %s', async (path) => {
    const answer = await fetch(gateway.url + path, { method: 'POST' })
    expect(answer.status).toBe(402)
    expect(paymentRequiredSchema.parse(await answer.json()).accepts).toHaveLength(1)
  })

  test('is not sent for invalid input, which gets a 400 before any payment', async () => {
    for (const body of ['{}', '{', '[]', JSON.stringify(chatOf('x', { model: 'no/model' }))]) {
      expect((await post(gateway, chatPath, { body })).status).toBe(400)
    }
    const image = await post(gateway, imagePath, { body: { prompt: 'x', width: 100 } })
    expect(image.status).toBe(400)
    expect(await image.json()).toMatchObject({ error: 'INVALID_DIMENSIONS' })
  })

  test('is sent again when the authorization does not fit the request, and leaves it usable', async () => {
    const cheap = chatOf('[[sandbox: label=cheap]]', { max_tokens: 1000 })
    const { v2 } = await signPayment(gateway, 0, { body: cheap })
    const expensive = await post(gateway, chatPath, {
      body: chatOf('x', { max_tokens: 30_000 }),
      headers: v2,
    })
    expect(expensive.status).toBe(402)
    const served = await post(gateway, chatPath, { body: cheap, headers: v2 })
    expect(served.status).toBe(200)
    await served.text()
  })

  const unreadable = [
    ['not base64', '!!', 'must be base64'],
    ['base64 of text', base64('text'), 'must be JSON in base64'],
    ['base64 of {}', base64('{}'), 'not a payment payload'],
    ['base64 of null', base64('null'), 'not a payment payload'],
    ['without a payload', base64('{"x402Version":1}'), 'not a payment payload'],
    ['too long', 'A'.repeat(9000), 'must be at most 8192 bytes'],
  ] as const
  test.each(
    (['PAYMENT-SIGNATURE', 'X-PAYMENT'] as const).flatMap((name) =>
      unreadable.map(([kind, value, reason]) => ({ name, kind, value, reason })),
    ),
  )('says why $name cannot be read: $kind', async ({ name, value, reason }) => {
    const headers = { [name]: value }
    const answer = await post(gateway, chatPath, { body: chatOf('x'), headers })
    expect(answer.status).toBe(402)
    expect(challengeOf(answer).error).toContain(`${name}: ${reason}`)
    const body = paymentRequiredSchema.parse(await answer.json())
    expect(body.message).toContain(`${name}: ${reason}`)
    expect(body.accepts).toHaveLength(1)
  })
})

describe('a paid response', () => {
  test('streams in the specified shape, usage on the final chunk, receipt as a comment', async () => {
    const response = await pay(1, chatOf('Stream this.', { stream: true }))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('server-timing')).toMatch(timed)
    const text = await response.text()
    const all = eventsOf(text)
    expect(all.at(-1)).toBe('[DONE]')
    const chunks = all.slice(0, -1).map((data) => chatChunkSchema.parse(JSON.parse(data)))
    const final = chunks.at(-1)
    expect(final?.choices[0]?.finish_reason).toBe('stop')
    expect(final?.usage?.total_tokens).toBeGreaterThan(0)
    expect(
      chunks
        .slice(0, -1)
        .every(
          (chunk) =>
            chunk.usage === undefined &&
            chunk.choices.every((choice) => choice.finish_reason === null),
        ),
    ).toBe(true)
    expect(text).not.toMatch(/^event:/m)
    const receipt = JSON.parse(/^: receipt (.*)$/m.exec(text)?.[1] ?? '{}')
    expect(receipt).toMatchObject({ id: response.headers.get('x-payment-id'), status: 'completed' })
    expect(BigInt(receipt.paid.usdc)).toBe(
      BigInt(receipt.cost.usdc) + BigInt(receipt.refund?.usdc ?? '0'),
    )
  })

  test('has the specified shape as JSON, with n choices', async () => {
    const response = await pay(2, chatOf('Twice, please.', { n: 2 }))
    const completion = chatCompletionSchema.parse(await response.json())
    expect(completion.choices.map((choice) => choice.index).toSorted()).toEqual([0, 1])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('server-timing')).toMatch(timed)
  })

  test('is cut at max_tokens, which is sent upstream', async () => {
    const response = await pay(
      2,
      chatOf('[[sandbox: label=cap tokens=200]] Continue.', { max_tokens: 7 }),
    )
    const completion = chatCompletionSchema.parse(await response.json())
    expect(completion.choices[0]?.finish_reason).toBe('length')
    expect(completion.usage?.completion_tokens).toBeLessThanOrEqual(7)
    const sent = gateway.sandbox?.requests.find((request) => request.label === 'cap')?.body
    expect(sent).toMatchObject({ max_tokens: 7 })
  })

  test('is stopped when the provider ignores max_tokens, and costs no more than was paid', async () => {
    const lies = { status: 200, headers: { 'Content-Type': 'text/event-stream' } }
    const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
    const endless = createServer((_, response) => {
      response.writeHead(lies.status, lies.headers)
      const talk = setInterval(() => {
        const choices = [{ index: 0, delta: { content: 'word ' }, finish_reason: null }]
        for (let words = 0; words < 50; words += 1) {
          response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`)
        }
      }, 1)
      response.once('close', () => {
        clearInterval(talk)
      })
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    const { port } = endless.address() as AddressInfo
    const other = await openGateway({
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    })
    try {
      const body = chatOf('Continue for ever.', { max_tokens: 100, stream: true })
      const { v2 } = await signPayment(other, 0, { body })
      const response = await post(other, chatPath, { body, headers: v2 })
      const all = eventsOf(await response.text())
      expect(all.at(-1)).toBe('[DONE]')
      expect(JSON.parse(all.at(-2) ?? '{}')).toMatchObject({
        choices: [{ finish_reason: 'length' }],
      })
      expect(all.length).toBeLessThan(300)
      const record = await other.refunded(response.headers.get('x-payment-id') ?? '')
      expect(BigInt(record.cost?.usdc ?? '0')).toBeLessThanOrEqual(BigInt(record.paid.usdc))
    } finally {
      await other.stop()
      endless.close()
    }
  })

  test('is made without user, metadata and store, which are not sent upstream', async () => {
    const response = await pay(
      2,
      chatOf('[[sandbox: label=private]]', { user: 'u', metadata: { a: 'b' }, store: false }),
    )
    await response.text()
    const sent = gateway.sandbox?.requests.find((request) => request.label === 'private')
    expect(sent?.body).toMatchObject({ max_tokens: 2000 })
    for (const field of ['user', 'metadata', 'store']) expect(sent?.body).not.toHaveProperty(field)
    expect(JSON.stringify(sent?.headers)).not.toContain('payment')
  })

  test.each([
    ['openai/gpt-4.1-mini', 0.7],
    ['openai/gpt-5.5', undefined],
  ])(
    'of %s is made at the temperature of %s where the request names none',
    async (model, asked) => {
      await (await pay(3, chatOf(`[[sandbox: label=${model}]]`, { model }))).text()
      const sent = gateway.sandbox?.requests.find((request) => request.label === model)
      expect([Object(sent?.body).model, Object(sent?.body).temperature]).toEqual([model, asked])
    },
  )

  test('has images as URLs or bytes, and missing images are refunded', async () => {
    const bytes = await pay(
      3,
      { prompt: 'a fare box', width: 256, height: 256, response_format: 'b64_json' },
      imagePath,
    )
    expect(bytes.headers.get('server-timing')).toMatch(timed)
    const [image] = imageResultSchema.parse(await bytes.json()).images
    await gateway.refunded(bytes.headers.get('x-payment-id') ?? '')
    expect(
      Buffer.from(image?.b64_json ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    const before = await gateway.balance(gateway.payer(3).address)
    const body = {
      prompt: '[[sandbox: images=1]] four boxes',
      width: 1024,
      height: 1024,
      numberResults: 4,
    }
    const fewer = await pay(3, body, imagePath)
    expect(imageResultSchema.parse(await fewer.json()).images).toHaveLength(1)
    const record = await gateway.refunded(fewer.headers.get('x-payment-id') ?? '')
    expect(BigInt(record.refund?.usdc ?? '0')).toBeGreaterThan(
      (BigInt(record.paid.usdc) * 7n) / 10n,
    )
    expect(await gateway.balance(gateway.payer(3).address)).toBe(
      before - BigInt(record.cost?.usdc ?? '0'),
    )
  })
})

describe('one authorization', () => {
  test('50 concurrent copies, half in version 1: one upstream call, one payment', async () => {
    const body = chatOf('[[sandbox: label=fifty]]', { max_tokens: 1500 })
    const before = await gateway.balance(gateway.payer(4).address)
    const signed = await signPayment(gateway, 4, { body })
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await post(gateway, chatPath, {
          body,
          headers: index % 2 === 0 ? signed.v2 : signed.v1,
        })
        return {
          status: response.status,
          id: response.headers.get('x-payment-id'),
          text: await response.text(),
        }
      }),
    )
    expect(gateway.sandboxCalls('fifty')).toBe(1)
    expect(answers.filter(({ status }) => status === 200)).not.toHaveLength(0)
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    const record = await gateway.refunded(answers[0]?.id ?? '')
    expect(await gateway.balance(gateway.payer(4).address)).toBe(
      before - BigInt(record.cost?.usdc ?? '0'),
    )
  })

  test('pays for no other request', async () => {
    const body = chatOf('[[sandbox: label=mine]]')
    const { v2 } = await signPayment(gateway, 5, { body })
    await (await post(gateway, chatPath, { body, headers: v2 })).text()
    const other = await post(gateway, chatPath, {
      body: chatOf('[[sandbox: label=other]]'),
      headers: v2,
    })
    expect(other.status).toBe(400)
    expect(errorSchema.parse(await other.json()).error).toMatchObject({
      code: 'authorization_reused',
    })
    expect(gateway.sandboxCalls('other')).toBe(0)
  })
})

describe('the rest of the contract', () => {
  test('unknown paths and wrong methods', async () => {
    const unknown = await fetch(`${gateway.url}/v1/nothing`)
    expect(unknown.status).toBe(404)
    expect(errorSchema.parse(await unknown.json()).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'not_found',
    })
    const wrong = await fetch(gateway.url + chatPath)
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('POST')
  })

  test('payments are found by id alone', async () => {
    for (const id of ['pay_00000000000000000000000000000000', 'x', '%27', '__proto__']) {
      expect((await fetch(`${gateway.url}/v1/payments/${id}`)).status).toBe(404)
    }
  })

  test('CORS lets browsers pay', async () => {
    const preflight = await fetch(gateway.url + chatPath, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers':
          'payment-signature, x-replay-secret, access-control-expose-headers',
      },
    })
    expect(preflight.status).toBe(204)
    const allowed = preflight.headers.get('access-control-allow-headers')
    for (const name of ['access-control-expose-headers', 'x-replay-secret']) {
      expect(allowed).toContain(name)
    }
    const answer = await post(gateway, chatPath, {
      body: chatOf('x'),
      headers: { Origin: 'https://app.example' },
    })
    const exposed = answer.headers.get('access-control-expose-headers')
    // A client in a browser that cannot read x-should-retry repeats a paid request by itself.
    for (const name of ['payment-required', 'x-should-retry']) expect(exposed).toContain(name)
  })

  test('an X-Replay-Secret of 256 characters is taken, a longer one is a 400 that names it', async () => {
    const send = (length: number) =>
      post(gateway, chatPath, {
        body: chatOf('x'),
        headers: { 'X-Replay-Secret': 's'.repeat(length) },
      })
    expect((await send(maxReplaySecretLength)).status).toBe(402)
    const refused = await send(maxReplaySecretLength + 1)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'invalid_field',
        param: 'X-Replay-Secret',
        message: expect.stringContaining(`at most ${maxReplaySecretLength}`),
      },
    })
  })

  test('docs, openapi.json and llms.txt', async () => {
    expect(await (await fetch(`${gateway.url}/docs`)).text()).toContain('Farebox')
    expect(await (await fetch(`${gateway.url}/openapi.json`)).json()).toMatchObject({
      openapi: '3.1.0',
    })
    expect(await (await fetch(`${gateway.url}/llms.txt`)).text()).toContain('x402')
  })
})
