import type { IncomingHttpHeaders } from 'node:http'
import type { UpstreamError } from '../provider/upstream-error.ts'
import { readRetryAfter } from '../transport/retry-policy.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { errorStatus, httpFailure } from '../wire/classify-failure.ts'
import { isRecord, parseJson } from '../wire/json-reading.ts'

/** Longest error body that is read, in bytes. */
const maxBody = 65_536

/** Whether and when a failed call may be made again: only where the provider did nothing. */
export type Again = { readonly retryAfter: number | null } | null

/** A provider's answer other than 200, while its body comes in. */
export type Refusal = {
  feed(bytes: Uint8Array): 'more' | 'enough'
  read(now: number): { readonly error: UpstreamError; readonly again: Again }
}

export function createRefusal(
  wire: Pick<ChatWire, 'name' | 'classify'>,
  status: number,
  headers: IncomingHttpHeaders,
): Refusal {
  const decoder = new TextDecoder()
  let body = ''
  return {
    feed(bytes) {
      if (body.length <= maxBody) body += decoder.decode(bytes, { stream: true })
      return body.length > maxBody ? 'enough' : 'more'
    },
    read(now) {
      const json = parseJson(body)
      if (status === 200) return { error: refusedInside(wire, json), again: null }
      const kind = wire.classify(status, json)
      const retryAfter = readRetryAfter(headers['retry-after'], now)
      const again = kind.executed === 'no' ? { retryAfter } : null
      return { error: httpFailure(wire.name, status, kind), again }
    },
  }
}

/** A 200 that is no stream may still say, in its body, which status was meant. */
function refusedInside(wire: Pick<ChatWire, 'name' | 'classify'>, json: unknown): UpstreamError {
  const status = (isRecord(json) ? errorStatus(json['error']) : undefined) ?? 200
  return httpFailure(wire.name, status, wire.classify(status, json))
}
