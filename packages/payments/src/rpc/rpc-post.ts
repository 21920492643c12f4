import { Agent, request } from 'undici'
import { basicAuthorization } from './basic-authorization.ts'

export type RpcQuestion = {
  /** JSON */
  readonly body: string
  /** Asking twice does what asking once does. */
  readonly isRead: boolean
}

export type RpcPost = (question: RpcQuestion) => Promise<
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
const maxResponseBytes = 10_485_760

/**
 * Posts JSON to a node over connections that are kept open. Never throws.
 *
 * A node may close an idle connection at the moment when it is used again: a read is then asked once
 * more, over a new connection and within the same time.
 */
export function createRpcPost(rpcUrl: string, timeoutMs: number): RpcPost {
  const options = { maxResponseSize: maxResponseBytes, connect: { timeout: timeoutMs } }
  const kept = new Agent(options)
  const unkept = new Agent({ ...options, pipelining: 0 })
  const { url, headers } = addressOf(rpcUrl)
  return async function post({ body, isRead }) {
    // `AbortSignal.timeout` fires for every answer too, long after it came.
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs).unref()
    const { signal } = deadline
    const send = (dispatcher: Agent): ReturnType<typeof request> =>
      request(url, { method: 'POST', headers, body, signal, dispatcher })
    try {
      const response = await send(kept).catch(async (error: unknown) => {
        if (!isRead || !isClosed(error)) throw error
        return await send(unkept)
      })
      return parse(response.statusCode, await response.body.text())
    } catch (error) {
      return deadline.signal.aborted ? { status: 'timeout' } : failureOf(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

const closedCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && closedCodes.has(error.code)
}

function addressOf(rpcUrl: string): {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
} {
  const json = { 'content-type': 'application/json' }
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
  // The status with which nodes answer a search that finds too much.
  const httpStatus = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 413 : undefined
  // `connect ECONNREFUSED 127.0.0.1:8545` has its code already.
  const reason = error.message.includes(code) ? error.message : `${error.message} ${code}`.trim()
  return { status: 'failed', reason, httpStatus }
}
