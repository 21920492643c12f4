import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatChunk, ChatCompletion } from '@farebox/api'
import { onTestFinished } from 'vitest'
import type { Wire } from '../../src/index.ts'

/** How a request is answered: with these chunks when it streams, with this body when it does not. */
export type Answer = {
  readonly chunks: readonly ChatChunk[]
  readonly completion: ChatCompletion
  /** Breaks the stream after so many chunks. */
  readonly breakAfter?: number
}

export type WireServer = {
  readonly url: string
  /** The chat requests that the wire made of what was received. */
  readonly chats: Readonly<Record<string, unknown>>[]
}

/**
 * Serves a wire as the gateway does, with the given answers instead of bought ones, until the test has
 * finished.
 */
export async function openWireServer(wire: Wire, answers: Iterator<Answer>): Promise<WireServer> {
  const chats: Readonly<Record<string, unknown>>[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const read = wire.read(body)
      if (read.status === 'refused') {
        const { message, param } = read.problem
        const failure = { status: 400, code: 'invalid_field', message, param }
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify(wire.errorBody(failure)))
        return
      }
      chats.push(read.chat)
      const { value: answer } = answers.next()
      if (answer === undefined) throw new Error('no answer is left')
      if (read.chat['stream'] !== true) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(read.reply.body(answer.completion)))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const stream = read.reply.openStream({ inputTokens: 7 })
      const { breakAfter = answer.chunks.length } = answer
      for (const chunk of answer.chunks.slice(0, breakAfter)) response.write(stream.push(chunk))
      const isBroken = breakAfter < answer.chunks.length
      const failure = {
        status: 503,
        code: 'upstream_truncated',
        message: 'The provider broke off.',
      }
      response.end(isBroken ? stream.fail(failure) : stream.end())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, chats }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}
