import { Agent, request } from 'undici'
import { basicAuthorization } from './basic-authorization.ts'

export type RpcPost = (body: string) => Promise<
  /** JSON, whatever the status of the response. */
  | { readonly status: 'answered'; readonly httpStatus: number; readonly content: unknown }
  | { readonly status: 'timeout' }
  | {
      readonly status: 'failed'
      readonly reason: string
      readonly httpStatus: number | undefined
    }
>

/** More than any answer that is not a search of too many logs. */
const longestAnswer = 10_485_760

/** Posts JSON to a node over connections that are kept open. Never throws. */
export function createRpcPost(rpcUrl: string, timeoutMs: number): RpcPost {
  const agent = new Agent({ maxResponseSize: longestAnswer, connect: { timeout: timeoutMs } })
  const { url, headers } = addressOf(rpcUrl)
  return async function post(body) {
    // `AbortSignal.timeout` fires for every answer too, long after it came.
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs).unref()
    try {
      const response = await request(url, {
        method: 'POST',
        headers,
        body,
        signal: deadline.signal,
        dispatcher: agent,
      })
      return parse(response.statusCode, await response.body.text())
    } catch (error) {
      return deadline.signal.aborted ? { status: 'timeout' } : failureOf(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

function addressOf(rpcUrl: string): {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
} {
  const json = { 'content-type': 'application/json' }
  if (!URL.canParse(rpcUrl)) return { url: rpcUrl, headers: json }
  const { url, headers } = basicAuthorization(new URL(rpcUrl))
  return { url: url.href, headers: { ...json, ...headers } }
}

function parse(httpStatus: number, text: string): Awaited<ReturnType<RpcPost>> {
  try {
    const content: unknown = JSON.parse(text)
    return { status: 'answered', httpStatus, content }
  } catch {
    const reason = httpStatus < 300 ? 'the answer is not JSON' : text.slice(0, 200)
    return { status: 'failed', reason, httpStatus }
  }
}

function failureOf(error: unknown): Awaited<ReturnType<RpcPost>> {
  if (!(error instanceof Error)) {
    return { status: 'failed', reason: 'the request failed', httpStatus: undefined }
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // As a node says it of a search that found too much.
  const httpStatus = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 413 : undefined
  // `connect ECONNREFUSED 127.0.0.1:8545` has its code already.
  const reason = error.message.includes(code) ? error.message : `${error.message} ${code}`.trim()
  return { status: 'failed', reason, httpStatus }
}
