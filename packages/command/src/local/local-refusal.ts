import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The reason why a request is not served. */
export type LocalRefusal = {
  readonly status: number
  readonly code: string
  readonly message: string
}

export type LocalAccess = {
  /** The key that callers must send. `undefined` lets every program on this machine spend. */
  readonly key: string | undefined
  /** Web pages that may call, such as `http://localhost:3000`. */
  readonly allowedOrigins: readonly string[]
}

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Why a request may not spend; `undefined` if it may. A web page is recognized by `Origin`, by
 * `Sec-Fetch-Site`, and by a `Host` that is another name of this machine (DNS rebinding).
 */
export function localRefusal(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { key, allowedOrigins }: LocalAccess,
): LocalRefusal | undefined {
  const host = `http://${headers.host ?? ''}`
  if (!URL.canParse(host) || !loopback.has(new URL(host).hostname)) {
    return refusal(403, 'host_not_allowed', 'The Host header must be 127.0.0.1 or localhost.')
  }
  const { origin, 'sec-fetch-site': site } = headers
  // A page that embeds an address, as an image or a script, sends no origin.
  if (origin === undefined && (site === 'cross-site' || site === 'same-site')) {
    return refusal(403, 'origin_not_allowed', 'Web pages may not embed this address.')
  }
  if (origin !== undefined && !allowedOrigins.includes(origin)) {
    const fix = `Start with --allow-origin ${origin} if that page may spend.`
    return refusal(403, 'origin_not_allowed', `Web pages of ${origin} are not allowed. ${fix}`)
  }
  if (key !== undefined && !sameText(sentKey(headers) ?? '', key)) {
    const fix = 'Send the key that farebox printed, as the API key of your app.'
    return refusal(401, 'invalid_api_key', `The API key is missing or wrong. ${fix}`)
  }
  return undefined
}

function refusal(status: number, code: string, message: string): LocalRefusal {
  return { status, code, message }
}

/** The key as OpenAI's clients send it, or as Anthropic's do. */
function sentKey(headers: IncomingMessage['headers']): string | undefined {
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  const { 'x-api-key': apiKey } = headers
  return bearer ?? (typeof apiKey === 'string' ? apiKey : undefined)
}

/** Compares in a time that does not depend on where the texts differ. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
