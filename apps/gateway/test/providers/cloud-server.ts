import { createHash, createHmac, type KeyObject, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerWith } from '../contract/upstream-server.ts'

/** What reached a provider's server. */
export type Asked = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type CloudServer = {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): void
}

/** A provider that responds to whom `accepts` lets in, and Microsoft Entra below `/entra`. */
export async function openCloudServer(accepts: (asked: Asked) => boolean): Promise<CloudServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void respond(request, response)
  })
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: await text(request) }
    asked.push(one)
    if (url.startsWith('/entra/')) {
      const isKnown = new URLSearchParams(one.body).get('client_secret') === 'right'
      response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ access_token: 'entra-token', expires_in: 3600 }))
      return
    }
    if (!accepts(one)) {
      response.writeHead(401).end('{}')
      return
    }
    if (method === 'GET') response.end('{}')
    else if (url.includes(':streamGenerateContent')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      const parts = [{ text: 'hello' }]
      const chunk = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
      response.end(`data: ${JSON.stringify(chunk)}\n\n`)
    } else
      answerWith(response, 'hello', { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest()
const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex')

/**
 * Whether a request has the signature of a secret, written from
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function hasAwsSignature({ method, url, headers, body }: Asked, secret: string): boolean {
  const shape =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/((\d{8})\/([\w-]+)\/(\w+)\/aws4_request), SignedHeaders=([\w;-]+), Signature=(\w+)$/
  const [, scope = '', day = '', region = '', service = '', names = '', signature] =
    shape.exec(headers.authorization ?? '') ?? []
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const [path = '', query = ''] = url.split('?')
  const canonical = [method, path, query, signed.join(''), names, sha256(body)].join('\n')
  const date = String(headers['x-amz-date'])
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day))
  return hmac(key, toSign).toString('hex') === signature
}

/** The claims of a token that a service account signed itself, or undefined if it did not. */
export function signedClaims({ headers }: Asked, key: KeyObject): unknown {
  const [head = '', claims = '', signature = ''] = (headers.authorization ?? '')
    .replace(/^Bearer /, '')
    .split('.')
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${claims}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  return isSigned ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined
}
