import type { Request } from 'express'
import { clientAddress } from '../server/client-address.ts'
import { type BodyBlocks, createBodyBlocks } from './body-blocks.ts'
import type { BodyBudget, BodyReservation } from './body-budget.ts'
import type { BodyLimits } from './body-limits.ts'
import { createJsonScan, jsonLimits } from './json-scan.ts'
import { parseJson } from './parse-json.ts'
import { receiveBody } from './receive-body.ts'

/** The JSON of a request's body, or why it cannot be read. */
export type JsonBody =
  | {
      readonly status: 'json'
      readonly value: unknown
      /** The body as it was received; absent for a large one, which another thread has parsed. */
      readonly bytes?: readonly Uint8Array[]
    }
  /** No body at all. */
  | { readonly status: 'absent' }
  | {
      readonly status: 'invalid'
      readonly code: 'invalid_json' | 'body_too_large'
      readonly message: string
    }
  /** The bodies in memory have used up the budget of the process, or the client its share. */
  | { readonly status: 'overloaded'; readonly by: 'service' | 'client' }
  /** The body arrived too slowly. */
  | { readonly status: 'timeout' }

/**
 * Reads a JSON body of any content type (x402-fetch sends its paid retry as `text/plain`), within
 * the limits and the memory of the budget, and scans it as it arrives. Memory is reserved for bytes
 * that have arrived: a Content-Length costs the client nothing. The body counts as in use until
 * `ended`, by default until the response has been sent or its connection is closed.
 */
export async function readJsonBody(
  request: Request,
  budget: BodyBudget,
  ended?: Promise<unknown>,
): Promise<JsonBody> {
  const rejection = rejectByHeaders(request, budget.limits)
  if (rejection !== undefined) return rejection
  const client = clientAddress(request)
  const reservation = budget.hold(client)
  try {
    const body = await receiveScanned(request, budget.limits, reservation)
    if (!('take' in body)) return body
    const use = budget.use(client, {
      bytes: body.length(),
      ended: () => ended ?? endOf(request),
    })
    return use === 'held' ? await parseBody(body, budget) : overloaded[use]
  } finally {
    request.resume()
    reservation.release()
  }
}

const overloaded = {
  service_full: { status: 'overloaded', by: 'service' },
  client_full: { status: 'overloaded', by: 'client' },
} as const

function endOf({ res: response }: Request): Promise<void> {
  return new Promise((resolve) => {
    if (response === undefined || response.closed) resolve()
    else response.once('close', resolve)
  })
}

function rejectByHeaders({ headers }: Request, limits: BodyLimits): JsonBody | undefined {
  const encoding = headers['content-encoding'] ?? ''
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    return invalid(
      'invalid_json',
      `The body must not be compressed, but Content-Encoding is ${encoding}. Send it uncompressed.`,
    )
  }
  return Number(headers['content-length'] ?? 0) > limits.maxBytes ? tooLarge(limits) : undefined
}

async function receiveScanned(
  request: Request,
  limits: BodyLimits,
  reservation: BodyReservation,
): Promise<BodyBlocks | JsonBody> {
  const scan = createJsonScan(jsonLimits)
  let growth: ReturnType<BodyReservation['grow']> = 'held'
  const blocks = createBodyBlocks((bytes) => {
    growth = reservation.grow(bytes)
    return growth === 'held'
  })
  const received = await receiveBody<JsonBody>(request, limits, {
    onBegin: (stop) => {
      reservation.arrive(() => stop(overloaded.service_full))
    },
    onChunk: (chunk) => {
      if (blocks.length() + chunk.length > limits.maxBytes) return tooLarge(limits)
      const problem = scan.push(chunk)
      if (problem !== undefined) return invalid('invalid_json', `The body ${problem}.`)
      return blocks.add(chunk) || growth === 'held' ? undefined : overloaded[growth]
    },
  })
  reservation.keep()
  if (received === 'too_slow') return { status: 'timeout' }
  return received === 'complete' ? blocks : received
}

/** Up to this size, parsing takes a few milliseconds at most. */
const inlineBytes = 1024 * 1024

async function parseBody(body: BodyBlocks, { thread }: BodyBudget): Promise<JsonBody> {
  if (body.length() === 0) return { status: 'absent' }
  const blocks = body.take()
  const isInline = body.length() <= inlineBytes
  const parsed = isInline ? parseJson(blocks) : await thread.parse(blocks)
  if ('value' in parsed) {
    return { status: 'json', value: parsed.value, ...(isInline && { bytes: blocks }) }
  }
  const { fault } = parsed
  const place = fault === undefined ? '' : ` at line ${fault.line}, column ${fault.column}`
  return invalid(
    'invalid_json',
    `The body is not valid JSON${place}. Send one JSON object in UTF-8.`,
  )
}

function invalid(code: 'invalid_json' | 'body_too_large', message: string): JsonBody {
  return { status: 'invalid', code, message }
}

function tooLarge({ maxBytes }: BodyLimits): JsonBody {
  return invalid(
    'body_too_large',
    `The body is larger than ${maxBytes / 1024 / 1024} MB. Shorten its texts, or send fewer or smaller images.`,
  )
}
