import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerWith, beginStream, chunk } from '../contract/upstream-server.ts'

/** What a provider does with a request. */
export type Fault =
  | 'ok'
  | '429'
  | '429-for-an-hour'
  | '503'
  | '529'
  | '401'
  | '402'
  | '404'
  | '500'
  | '400'
  | 'cut'
  | 'error-in-200'
  | 'error-after-role'
  | 'break'
  | 'unusable'

/** Those before which provably nothing was executed. */
export const notExecuted: ReadonlySet<string> = new Set([
  '429',
  '429-for-an-hour',
  '503',
  '529',
  '401',
  '402',
  '404',
])

/** A third of the requests are served at once, the others meet each kind of fault. */
export const faults: readonly Fault[] = [
  'ok',
  'ok',
  'ok',
  'ok',
  '429',
  '429-for-an-hour',
  '503',
  '404',
  '402',
  '500',
  'cut',
  'error-in-200',
  'error-after-role',
  'break',
]

export type Called = { readonly provider: string; readonly content: string; readonly model: string }

export type RoutedUpstream = {
  /** The base URL of a provider. */
  readonly url: (provider: string) => string
  readonly called: readonly Called[]
  /** Lets requests that wait for it respond. */
  readonly release: () => void
  close(): void
}

const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }

/**
 * Several providers on one server. A message such as `7 openai=503 groq=ok` says what each does;
 * `openai=wait` responds when it is released.
 */
export async function openRoutedUpstream(): Promise<RoutedUpstream> {
  const called: Called[] = []
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, provider = ''] = (request.url ?? '').split('/')
    const body: { model: string; messages: { content: string }[] } = JSON.parse(await text(request))
    const content = body.messages.at(-1)?.content ?? ''
    called.push({ provider, content, model: body.model })
    const fault = new RegExp(`${provider}=([\\w-]+)`).exec(content)?.[1] ?? 'ok'
    if (fault === 'wait') await released
    respond(response, fault, `from ${provider}`)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (provider) => `http://127.0.0.1:${port}/${provider}/v1`,
    called,
    release: () => release(),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function respond(response: ServerResponse, fault: string, words: string): void {
  switch (fault) {
    case 'ok':
    case 'wait':
      return answerWith(response, words, usage)
    case 'cut':
      response.destroy()
      return
    case 'break':
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: words }), () => response.destroy())
      return
    case 'error-in-200':
      beginStream(response)
      response.end(overloaded)
      return
    case 'error-after-role':
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: '' }))
      response.end(overloaded)
      return
    case 'unusable':
      response.writeHead(400, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 'tool_use_failed', failed_generation: '{' } }))
      return
    case '429-for-an-hour':
      return refuse(response, 429, '3600')
    default:
      return refuse(response, Number(fault), '0')
  }
}

const overloaded = 'data: {"error":{"code":503,"message":"overloaded"}}\n\n'

function refuse(response: ServerResponse, status: number, retryAfter: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': retryAfter })
  response.end(JSON.stringify({ error: { message: 'no' } }))
}

/** The minimal standard generator (Park and Miller, 1988). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
