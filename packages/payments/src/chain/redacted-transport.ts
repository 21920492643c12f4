import {
  BaseError,
  type CustomTransport,
  custom,
  HttpRequestError,
  http,
  RpcRequestError,
  TimeoutError,
} from 'viem'

/** Shorter parts of an address, such as a version, are not secrets. */
const shortestSecret = 4

/**
 * A node's address often holds a key: in its path, its query or its user information. viem repeats
 * the address and the request in each error, so errors are rebuilt here, where all of them pass,
 * with the host alone.
 */
export function redactedTransport(rpcUrl: string, timeoutMs: number): CustomTransport {
  const redact = redactionFor(rpcUrl)
  const { request } = http(rpcUrl, { timeout: timeoutMs, retryCount: 0 })({})
  return custom(
    {
      async request(asked: { readonly method: string; readonly params?: unknown }) {
        try {
          return await request(asked)
        } catch (error) {
          throw redact(error, asked.method)
        }
      },
    },
    { retryCount: 0 },
  )
}

function redactionFor(rpcUrl: string): (error: unknown, method: string) => BaseError {
  const url = URL.canParse(rpcUrl) ? new URL(rpcUrl).host : 'the node'
  const clean = textRedaction(rpcUrl)
  return function redact(error, method) {
    const body = { method }
    if (!(error instanceof BaseError)) return new BaseError(clean(wordsOf(error)))
    const rejected = error.walk((cause) => cause instanceof RpcRequestError)
    if (rejected instanceof RpcRequestError) {
      const { code, data, details } = rejected
      return new RpcRequestError({ url, body, error: { code, data, message: clean(details) } })
    }
    if (error.walk((cause) => cause instanceof TimeoutError) !== null) {
      return new TimeoutError({ url, body })
    }
    const failed = error.walk((cause) => cause instanceof HttpRequestError)
    if (failed instanceof HttpRequestError) {
      const details = [failed.details, codeOf(failed)].filter((text) => text !== '').join(' ')
      const { status } = failed
      return new HttpRequestError({ url, body, details: clean(details), ...(status && { status }) })
    }
    return new BaseError(clean(error.shortMessage))
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The request failed'
}

/** The code of a failed connection, such as ECONNREFUSED. */
function codeOf(error: BaseError): string {
  for (let cause = error.cause; cause instanceof Error; ) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
    cause = cause.cause instanceof Error ? cause.cause : undefined
  }
  return ''
}

/** Removes what an address holds beside its host, which a node or proxy may repeat. */
function textRedaction(rpcUrl: string): (text: string) => string {
  const secrets = secretsOf(rpcUrl)
  return (text) =>
    secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text)
}

function secretsOf(rpcUrl: string): readonly string[] {
  if (!URL.canParse(rpcUrl)) return [rpcUrl]
  const { username, password, pathname, searchParams, hash } = new URL(rpcUrl)
  const path = pathname.split('/')
  const parts = [username, password, ...path, ...searchParams.values(), hash.slice(1)]
  const spellings = parts.flatMap((part) => [part, decoded(part), encodeURIComponent(part)])
  return [...new Set(spellings)]
    .filter((part) => part.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
