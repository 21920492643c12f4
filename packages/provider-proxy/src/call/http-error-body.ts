import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../transport/clock.ts'
import { readRetryAfter } from '../transport/retry-policy.ts'
import { classifyFailure, errorStatus, httpFailure } from '../wire/classify-failure.ts'
import { isRecord, parseJson } from '../wire/json-reading.ts'
import type { AttemptEvent, AttemptFailure } from './attempt.ts'
import type { ResponseBody } from './response-body.ts'

/** Longest error body that is read, in bytes. */
const maxLength = 65_536

export type HttpErrorOptions = {
  readonly wire: { readonly name: string }
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly clock: Clock
}

/** Reads a response that is not an event stream: its body states what failed. */
export function createHttpErrorBody(options: HttpErrorOptions): ResponseBody {
  const parts: Uint8Array[] = []
  let length = 0

  function end(): readonly AttemptEvent[] {
    const json = parseJson(Buffer.concat(parts).toString())
    return [{ type: 'failed', failure: failureOf(json, options) }]
  }

  return {
    read(bytes) {
      parts.push(bytes)
      length += bytes.length
      return length > maxLength ? end() : []
    },
    end,
  }
}

function failureOf(json: unknown, options: HttpErrorOptions): AttemptFailure {
  const { wire, headers, clock } = options
  // A 200 may name another status in its body; it is unknown whether the call was executed.
  const status = options.status === 200 ? (statusInside(json) ?? 200) : options.status
  const named = classifyFailure(status, json)
  const kind = options.status === 200 ? { ...named, executed: 'perhaps' as const } : named
  // Such as the page of a proxy, or of a wrong base URL.
  const detail = status === 200 ? ', but no event stream' : ''
  const mayRetry = kind.executed === 'no' && kind.passes === true
  return {
    error: httpFailure(wire.name, status, { ...kind, detail }),
    retry: mayRetry ? { retryAfter: readRetryAfter(headers['retry-after'], clock()) } : null,
  }
}

function statusInside(json: unknown): number | undefined {
  return isRecord(json) ? errorStatus(json['error']) : undefined
}
