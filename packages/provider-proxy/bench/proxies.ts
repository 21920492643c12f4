// The provider and the two proxies of the relay benchmark, each in its own process.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { chatRequestSchema } from '@farebox/api'
import { picodollars } from '@farebox/money'
import { Agent } from 'undici'
import {
  type ChatCall,
  chatUsageJson,
  collectCompletion,
  createOpenAiCompatibleProvider,
  customProfile,
  doneText,
  relayEventStream,
} from '../src/index.ts'

export type BenchRole = 'upstream' | 'raw' | 'farebox'
export type BenchReply = { readonly port: number } | { readonly cpu: number }

type Handler = (body: Ask, response: ServerResponse) => void | Promise<void>
type Ask = { readonly events: number; readonly stream: boolean }

const [, , role, upstreamPort] = process.argv
const upstreamUrl = `http://127.0.0.1:${upstreamPort ?? ''}`

function serve(handle: Handler): void {
  const server = createServer((request: IncomingMessage, response) => {
    let text = ''
    request.on('data', (part: Buffer) => {
      text += part.toString()
    })
    request.on('end', () => void handle(JSON.parse(text) as Ask, response))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
  })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system })
  })
}

function chunk(delta: object, reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  const frame = { id: 'up', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
  return `data: ${JSON.stringify(frame)}\n\n`
}

const usage = `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}\n\n`
const responses = new Map<number, string>()

/** The same text for every call: what the provider does is not measured. */
function responseOf(events: number): string {
  const words = Array.from({ length: events }, (_, at) => chunk({ content: ` word${at}` }, null))
  const text = responses.get(events) ?? words.join('') + chunk({}, 'stop') + usage + doneText
  responses.set(events, text)
  return text
}

function upstream(): void {
  serve((body, response) => {
    // The proxies' own call names the number of events as its cap.
    const { max_tokens: cap = body.events } = body as { max_tokens?: number } & Ask
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(responseOf(cap))
  })
}

/** Copies bytes: the least that any proxy must do. */
function raw(): void {
  const agent = new Agent({ connections: 64 })
  serve((body, response) => {
    agent.dispatch(
      { origin: upstreamUrl, path: '/', method: 'POST', body: JSON.stringify(body) },
      {
        onRequestStart: () => undefined,
        onResponseStart(_control, status) {
          response.writeHead(status, { 'content-type': 'text/event-stream' })
        },
        onResponseData: (_control, bytes) => void response.write(bytes),
        onResponseEnd: () => void response.end(),
        onResponseError: (_control, error) => void response.destroy(error),
      },
    )
  })
}

function farebox(): void {
  const hello = chatRequestSchema.parse({ messages: [{ role: 'user', content: 'hello' }] })
  const provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: upstreamUrl })
  serve(async ({ events, stream }, response) => {
    const closing = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) closing.abort()
    })
    const call: ChatCall = {
      model: 'maker/model',
      upstreamModel: 'model',
      request: hello,
      maxTokens: events,
      maxPrice: { input: picodollars(1n), output: picodollars(1n) },
      signal: closing.signal,
    }
    const upstream = await provider.open(call)
    if (!stream) {
      const outcome = await collectCompletion(upstream)
      const wire = outcome.usage && chatUsageJson(outcome.usage, outcome.timings)
      response.end(JSON.stringify(outcome.completion(wire)))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const outcome = await relayEventStream(upstream, {
      write: (text) => response.write(text),
      drained: () => new Promise((resolve) => response.once('drain', resolve)),
      closed: closing.signal,
    })
    if (outcome.status !== 'complete') throw new Error(outcome.status)
    const wire = outcome.usage && chatUsageJson(outcome.usage, outcome.timings)
    response.end(outcome.finalChunk(wire) + doneText)
  })
}

if (role === 'upstream') upstream()
if (role === 'raw') raw()
if (role === 'farebox') farebox()
