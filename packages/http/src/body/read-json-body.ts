import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { type BodyBudget, maxBodyBytes } from './body-budget.ts'
import { createJsonScan, jsonLimits } from './json-scan.ts'

/** The JSON of a request's body, or why it cannot be read. */
export type JsonBody =
  | { readonly status: 'json'; readonly value: unknown }
  /** No body at all. */
  | { readonly status: 'absent' }
  | {
      readonly status: 'invalid'
      readonly code: 'invalid_json' | 'body_too_large'
      readonly message: string
    }
  /** The bodies in memory have used up the budget of the process. */
  | { readonly status: 'overloaded' }

/**
 * Reads a JSON body of any content type (x402-fetch sends its paid retry as `text/plain`), within
 * 64 MB and the budget of the process, and scans it as it arrives.
 */
export async function readJsonBody(
  request: IncomingMessage,
  budget: BodyBudget,
): Promise<JsonBody> {
  const rejection = rejectByHeaders(request)
  if (rejection !== undefined) return rejection
  const reservation = budget.reserve(declaredLength(request))
  if (reservation === undefined) return { status: 'overloaded' }
  try {
    const bytes = await readScanned(request, reservation)
    return bytes instanceof Uint8Array ? await parseBody(bytes) : bytes
  } finally {
    request.resume()
    reservation.release()
  }
}

function rejectByHeaders(request: IncomingMessage): JsonBody | undefined {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return invalid(
      'invalid_json',
      `The body must not be compressed, but Content-Encoding is ${encoding}. Send it uncompressed.`,
    )
  }
  return (declaredLength(request) ?? 0) > maxBodyBytes ? tooLarge : undefined
}

function declaredLength(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length']
  return header === undefined ? undefined : Number(header)
}

async function readScanned(
  request: IncomingMessage,
  reservation: { grow(bytes: number): boolean },
): Promise<Uint8Array | JsonBody> {
  const scan = createJsonScan(jsonLimits)
  const chunks: Uint8Array[] = []
  let length = 0
  // The loop must not destroy the request: its connection carries the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array))
      throw new TypeError('The request has a text encoding; bytes are expected.')
    length += chunk.length
    if (length > maxBodyBytes) return tooLarge
    if (!reservation.grow(length)) return { status: 'overloaded' }
    const problem = scan.push(chunk)
    if (problem !== undefined) return invalid('invalid_json', `The body ${problem}.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

async function parseBody(bytes: Uint8Array): Promise<JsonBody> {
  if (bytes.length === 0) return { status: 'absent' }
  try {
    await yieldAfter(bytes)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    await yieldAfter(bytes)
    const value: unknown = JSON.parse(text)
    await yieldAfter(bytes)
    return { status: 'json', value }
  } catch {
    return invalid('invalid_json', 'The body is not valid JSON in UTF-8.')
  }
}

/** Each step over a large body takes milliseconds: yields to the streams that run beside it. */
async function yieldAfter({ length }: Uint8Array): Promise<void> {
  if (length > 1024 * 1024) await setImmediate()
}

function invalid(code: 'invalid_json' | 'body_too_large', message: string): JsonBody {
  return { status: 'invalid', code, message }
}

const tooLarge: JsonBody = invalid(
  'body_too_large',
  `The body is larger than ${maxBodyBytes / 1024 / 1024} MB.`,
)
