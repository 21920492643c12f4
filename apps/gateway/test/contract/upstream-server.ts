import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One chat request that reached the server. */
export type Arrived = {
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
  /** Set when the connection was closed before the response ended. */
  abortedAt: number | undefined
}

export type UpstreamServer = {
  /** Version path included. */
  readonly url: string
  readonly arrived: readonly Arrived[]
  close(): void
}

/** The server's responses, by the first word of the last message. */
export type Script = (response: ServerResponse, arrived: Arrived) => void

/** An OpenAI-compatible server that follows a script. */
export async function openUpstream(
  scripts: Readonly<Record<string, Script>>,
): Promise<UpstreamServer> {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const entry: Arrived = {
      authorization: request.headers.authorization,
      body: JSON.parse((await text(request)) || '{}'),
      abortedAt: undefined,
    }
    arrived.push(entry)
    response.once('close', () => {
      if (!response.writableFinished) entry.abortedAt = Date.now()
    })
    const messages = entry.body['messages']
    const last = Array.isArray(messages) ? String(messages.at(-1).content) : ''
    const script = scripts[last.split(' ')[0] ?? '']
    if (script === undefined) response.writeHead(404).end()
    else script(response, entry)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    arrived,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The chunk of a stream. */
export function chunk(delta: object, rest: object = {}, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...rest })}\n\n`
}

/** A whole stream: text, finish reason, usage, [DONE]. */
export function answerWith(response: ServerResponse, content: string, usage: unknown): void {
  beginStream(response)
  response.write(chunk({ role: 'assistant', content }))
  response.write(chunk({}, { usage }, 'stop'))
  response.end('data: [DONE]\n\n')
}

/** Begins a stream. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
}
