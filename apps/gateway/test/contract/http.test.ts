import { connect } from 'node:net'
import { errorCodes } from '@farebox/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declareBodies } from '../../../../scripts/testing/declare-bodies.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const hello = { messages: [{ role: 'user', content: 'Hello' }] }

/** Sends raw bytes and returns everything that is received until the server closes. */
function send(text: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString()
    })
    socket.on('close', () => {
      resolve(received)
    })
    socket.on('error', reject)
    socket.write(text)
  })
}

describe('paths and methods', () => {
  test.each([
    ['GET', '/v1'],
    ['GET', '/v1/payments'],
    ['GET', '/v1/payments/%ff'],
    ['GET', '/%ff'],
    ['GET', '/v1%2fmodels'],
    ['GET', '//v1/models'],
    ['GET', '/metrics'],
    ['POST', '/v1/completions'],
  ])('%s %s: 404', async (method, path) => {
    const answer = await fetch(gateway.url + path, { method })
    expect(answer.status).toBe(404)
    expect((await answer.json()).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'not_found',
    })
  })

  test('GET / is an index for programs', async () => {
    const index = await fetch(`${gateway.url}/`)
    expect(index.status).toBe(200)
    expect(await index.json()).toMatchObject({ name: 'Farebox', models: expect.any(String) })
  })

  test.each([
    ['/chat/completions', 'Add /v1'],
    ['/v1/v1/chat/completions', 'Remove /v1'],
    ['/v1/completions', 'Use POST /v1/chat/completions'],
    ['/v1/embeddings', 'not sold here'],
    ['/v1/messages/batches', 'not sold here'],
    ['/api/v1/chat/completions', 'base URL'],
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'Use POST /v1/chat/completions'],
    ['/v1/images/edits', 'Use POST /v1/images/generations'],
    ['/v1/responses/resp_1', 'Nothing is stored here'],
  ])('a 404 of %s says what to do', async (path, hint) => {
    const response = await fetch(gateway.url + path, { method: 'POST' })
    expect(response.status).toBe(404)
    expect((await response.json()).error.message).toContain(hint)
  })

  test.each([
    ['GET', chatPath, 'POST'],
    ['HEAD', chatPath, 'POST'],
    ['PUT', imagePath, 'POST'],
    ['GET', '/v1/estimate', 'POST'],
    ['DELETE', '/v1/images/estimate', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['POST', '/v1/images/models/', 'GET, HEAD'],
    ['PATCH', '/health', 'GET, HEAD'],
    ['POST', '/v1/health', 'GET, HEAD'],
    ['POST', '/v1/payments/pay_x', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/llms.txt', 'GET, HEAD'],
  ])('%s %s: 405 with Allow: %s', async (method, path, allow) => {
    const answer = await fetch(gateway.url + path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  })

  test.each(['/v1/messages', '/v1/messages/', '/v1/messages/count_tokens'])(
    'GET %s: 405 in the shape of its interface',
    async (path) => {
      const answer = await fetch(gateway.url + path)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      expect(await answer.json()).toEqual({
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: `${path} does not support GET. Use POST.`,
          details: { error_code: 'method_not_allowed' },
        },
      })
    },
  )

  test('paths below /v1/messages are missed in its shape', async () => {
    const answer = await fetch(`${gateway.url}/v1/messages/batches`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { type: 'error', error: { type: 'not_found_error', details: { error_code: 'not_found' } } },
    ])
  })

  test('a trailing slash changes nothing', async () => {
    const answers = await Promise.all([
      fetch(`${gateway.url}/health/`),
      fetch(`${gateway.url}/v1/models/`),
      post(gateway, '/v1/estimate/', { body: hello }),
      post(gateway, `${chatPath}/`, { body: hello }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 402])
  })
})

describe('bodies', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'are read as JSON when their type is %s',
    async (type) => {
      const headers = { 'Content-Type': type }
      expect((await post(gateway, '/v1/estimate', { body: hello, headers })).status).toBe(200)
      expect((await post(gateway, chatPath, { body: hello, headers })).status).toBe(402)
    },
  )

  test.each([
    ['{', 'invalid_json'],
    ['   ', 'invalid_json'],
    ['{"temperature":NaN}', 'invalid_json'],
    ['['.repeat(100_000), 'invalid_json'],
    [`[${'{},'.repeat(100_000)}{}]`, 'invalid_json'],
    ['{"messages":[],"messages":[]}', 'invalid_json'],
    ['{"model":"a","mod\\u0065l":"b"}', 'invalid_json'],
    ['{"__proto__":{}}', 'invalid_json'],
    ['{"constructor":{},"messages":[{"role":"user","content":"x"}]}', 'unknown_field'],
    ['null', 'invalid_field'],
    ['[]', 'invalid_field'],
    ['"x"', 'invalid_field'],
    ['{}', 'missing_field'],
  ])('%.40s: 400 %s, on every path', async (body, code) => {
    for (const path of [chatPath, '/v1/estimate']) {
      const answer = await post(gateway, path, { body })
      expect(answer.status).toBe(400)
      expect((await answer.json()).error.code).toBe(code)
      expect(errorCodes).toHaveProperty(code)
    }
    if (body === '{}') return
    for (const path of [imagePath, '/v1/images/estimate']) {
      const answer = await post(gateway, path, { body })
      expect(answer.status).toBe(400)
      expect((await answer.json()).error).toBe('INVALID_REQUEST')
    }
  })

  test.each([
    ['{\n  "model": "secret",\n}', ' at line 3, column 1'],
    ["{'model':'secret'}", ' at line 1, column 2'],
    ['{"model":secret}', ''],
    ['{"model":"secret', ' at line 1, column 17'],
    [`{"a":"${'x'.repeat(2_000_000)}" secret}`, ' at line 1, column 2000009'],
  ])(
    'that are not JSON are refused with their place, and without what they hold',
    async (body, place) => {
      const answer = await post(gateway, chatPath, { body })
      expect((await answer.json()).error.message).toBe(
        `The body is not valid JSON${place}. Send one JSON object in UTF-8.`,
      )
    },
  )

  test('are refused when they are compressed', async () => {
    const headers = { 'Content-Encoding': 'gzip' }
    expect((await post(gateway, chatPath, { body: hello, headers })).status).toBe(400)
  })

  test.each(['', 'Identity'])('are read with the content encoding "%s"', async (encoding) => {
    const headers = { 'Content-Encoding': encoding }
    expect((await post(gateway, '/v1/estimate', { body: hello, headers })).status).toBe(200)
  })

  test('may be chunked, without a length', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(hello))
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    expect((await fetch(`${gateway.url}/v1/estimate`, init)).status).toBe(200)
  })

  test('are read with 100 messages of 100,000 escaped characters, but not from 64 MB', async () => {
    const content = '\\u6f22'.repeat(100_000)
    const message = `{"role":"user","content":"${content}"}`
    const body = `{"messages":[${Array.from({ length: 100 }, () => message).join(',')}]}`
    const read = await post(gateway, '/v1/estimate', { body })
    expect((await read.json()).error.code).toBe('context_length_exceeded')
    const tooLarge = await post(gateway, '/v1/estimate', { body: `"${'a'.repeat(1 << 26)}"` })
    expect([tooLarge.status, (await tooLarge.json()).error]).toMatchObject([
      400,
      {
        code: 'body_too_large',
        message:
          'The body is larger than 64 MB. Shorten its texts, or send fewer or smaller images.',
      },
    ])
  })

  test('that are declared and not sent take nothing from others', async () => {
    const close = await declareBodies(`${gateway.url}/v1/estimate`, 8)
    expect((await post(gateway, '/v1/estimate', { body: hello })).status).toBe(200)
    expect((await post(gateway, chatPath, { body: hello })).status).toBe(402)
    close()
  })
})

describe('invalid HTTP', () => {
  test.each([
    [
      'headers beyond the limit',
      `GET /health HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    ],
    ['no HTTP', 'HELLO\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/estimate HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['a negative length', 'POST /v1/estimate HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n'],
    ['an expectation', 'POST /v1/estimate HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n'],
  ])('%s: 400 with a body', async (_, text) => {
    const [head = '', body = ''] = (await send(text)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(body).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'invalid_http',
      // What is wrong, and what to do.
      message: expect.stringMatching(/^[A-Z][^.]*(\.\d[^.]*)?\. [A-Z].*\.$/),
    })
  })
})

describe('the order of checks: shape, model, fields, payment', () => {
  const payment = { 'PAYMENT-SIGNATURE': 'nonsense' }
  test.each([
    [{ messages: 5, model: 'no/such' }, 'invalid_field'],
    [{ ...hello, model: 'no/such', max_tokens: 1 }, 'model_not_found'],
    [{ ...hello, model: 'openai/gpt-4', reasoning_effort: 'low' }, 'unsupported_field'],
  ])('%j: %s', async (body, code) => {
    const answer = await post(gateway, chatPath, { body, headers: payment })
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, code])
  })

  test('a valid request with a payment that cannot be read gets a 402', async () => {
    const answer = await post(gateway, chatPath, { body: hello, headers: payment })
    expect([answer.status, (await answer.json()).error]).toEqual([402, 'Payment Required'])
  })
})

test.each(['HTTP/1.1', 'HTTP/1.0'])(
  'a stream over %s closes the connection if the client asks for it',
  async (version) => {
    const text = JSON.stringify({ ...hello, max_tokens: 16, stream: true })
    const signed = await signPayment(gateway, 4, { body: text })
    const lines = [
      `POST ${chatPath} ${version}`,
      'Host: x',
      'Connection: close',
      `Content-Length: ${text.length}`,
      `PAYMENT-SIGNATURE: ${signed.v2['PAYMENT-SIGNATURE']}`,
    ]
    const [head = '', ...events] = (await send(`${lines.join('\r\n')}\r\n\r\n${text}`)).split(
      '\r\n\r\n',
    )
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(head.match(/^connection: .*$/gim)).toEqual(['Connection: close'])
    expect(events.join('')).toContain('data: [DONE]\n\n')
  },
)

describe('payments in headers that contradict each other, or for another request', () => {
  const body = { ...hello, max_tokens: 16 }
  const longer = { ...hello, max_tokens: 2_000 }
  /** A raw request, which may have a header twice. */
  async function present(lines: readonly string[]): Promise<string> {
    const text = JSON.stringify(body)
    const head = ['Host: x', 'Content-Type: application/json', `Content-Length: ${text.length}`]
    const all = [`POST ${chatPath} HTTP/1.1`, ...head, 'Connection: close', ...lines]
    return (await send(`${all.join('\r\n')}\r\n\r\n${text}`)).slice(9, 12)
  }

  test('two payments, in one header twice or in the headers of both versions, pay for nothing', async () => {
    const [one, two] = await Promise.all([0, 1].map((n) => signPayment(gateway, n, { body })))
    const [v2, other] = [one, two].map((signed) => signed?.v2['PAYMENT-SIGNATURE'])
    expect(await present([`PAYMENT-SIGNATURE: ${v2}`, `PAYMENT-SIGNATURE: ${other}`])).toBe('402')
    expect(await present([`PAYMENT-SIGNATURE: ${v2}`, `X-PAYMENT: ${two?.v1['X-PAYMENT']}`])).toBe(
      '402',
    )
    // Neither was claimed: each still pays, once.
    for (const signature of [v2, other]) {
      expect(await present([`PAYMENT-SIGNATURE: ${signature}`])).toBe('200')
    }
  })

  test('the quote of a more expensive request, or of a cheaper one, does not pay for this one', async () => {
    const dear = await signPayment(gateway, 2, { body: longer })
    const cheap = await signPayment(gateway, 3, { body })
    expect(dear.quoted).toBeGreaterThan(cheap.quoted)
    expect((await post(gateway, chatPath, { body, headers: dear.v2 })).status).toBe(402)
    expect((await post(gateway, chatPath, { body: longer, headers: cheap.v2 })).status).toBe(402)
    expect((await post(gateway, chatPath, { body: longer, headers: dear.v2 })).status).toBe(200)
  })
})

describe('the rate limit', () => {
  const messagesLimit = {
    type: 'error',
    error: { type: 'rate_limit_error', details: { error_code: 'RATE_LIMITED' } },
  }

  test('counts every path except preflights and refused requests, before the body is read', async () => {
    const limited = await openGateway({ RATE_LIMIT_PER_MINUTE: '5' })
    try {
      const call = (path: string, init: RequestInit = {}): Promise<Response> =>
        fetch(limited.url + path, init)
      for (let index = 0; index < 10; index += 1) {
        expect((await call(chatPath, { method: 'OPTIONS' })).status).toBe(204)
      }
      const statuses = [
        await call('/nothing'),
        await call('/health'),
        await call(chatPath),
        await call('/v1/estimate', { method: 'POST', body: '{' }),
        await call(chatPath, { method: 'POST' }),
      ].map(({ status }) => status)
      expect(statuses).toEqual([404, 200, 405, 400, 402])
      for (const forwarded of ['', 'garbage', '127.0.0.1', '127.0.0.1:1234', ' 127.0.0.1 ']) {
        const headers = { 'X-Forwarded-For': forwarded }
        const refused = await call(chatPath, { method: 'POST', body: '{', headers })
        expect(refused.status).toBe(429)
        expect(await refused.json()).toEqual({ error: 'Too many requests', code: 'RATE_LIMITED' })
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(refused.headers.get('ratelimit')).toMatch(/^"[^"]+"; r=0; t=\d+$/)
        expect(refused.headers.get('ratelimit-policy')).toMatch(/^"[^"]+"; q=5; w=60/)
      }
      for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
        const refused = await call(path, { method: 'POST', body: '{' })
        expect([refused.status, await refused.json()]).toMatchObject([429, messagesLimit])
      }
      const other = await call('/health', { headers: { 'X-Forwarded-For': '203.0.113.9' } })
      expect(other.status).toBe(200)
    } finally {
      await limited.stop()
    }
  })
})
