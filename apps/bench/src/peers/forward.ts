import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RequestHandler } from 'express'

/** Calls the provider with global `fetch` and passes its answer on: a stream as it comes. */
export function forward(upstream: string): RequestHandler {
  return async function forwardRequest({ body }, response) {
    const answer = await fetch(`${upstream}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const type = answer.headers.get('content-type') ?? ''
    response.status(answer.status)
    if (!type.startsWith('text/event-stream') || answer.body === null) {
      response.json(await answer.json())
      return
    }
    response.set('content-type', type)
    await pipeline(Readable.fromWeb(answer.body), response)
  }
}
