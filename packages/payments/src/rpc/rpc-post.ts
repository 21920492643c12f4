import { Agent, type Dispatcher } from 'undici'
import { basicAuthorization } from './basic-authorization.ts'

export type RpcPost = (body: string) => Promise<Posted>

export type Posted =
  /** JSON, whatever the status of the response. */
  | { readonly status: 'answered'; readonly httpStatus: number; readonly content: unknown }
  | { readonly status: 'timeout' }
  | {
      readonly status: 'failed'
      readonly reason: string
      readonly httpStatus: number | undefined
    }

/** More than any answer that is not a search of too many logs. */
const longestAnswer = 10_485_760

/** Posts JSON to a node over connections that are kept open. Never throws. */
export function createRpcPost(rpcUrl: string, timeoutMs: number): RpcPost {
  const agent = new Agent({ maxResponseSize: longestAnswer, connect: { timeout: timeoutMs } })
  const address = addressOf(rpcUrl)
  return function post(body) {
    return new Promise((resolve) => {
      const answer = createAnswer(resolve, timeoutMs)
      try {
        agent.dispatch({ ...address, method: 'POST', body }, answer)
      } catch (error) {
        answer.fail(error)
      }
    })
  }
}

/** Undici's `request` would make a stream of each answer, which takes a fifth of the call's time. */
function createAnswer(
  settle: (posted: Posted) => void,
  timeoutMs: number,
): Dispatcher.DispatchHandler & { fail(error: unknown): void } {
  const parts: Buffer[] = []
  let httpStatus = 0
  let sending: Dispatcher.DispatchController | undefined
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    settle({ status: 'timeout' })
    sending?.abort(new Error('timeout'))
  }, timeoutMs).unref()
  function fail(error: unknown): void {
    clearTimeout(timer)
    settle(failureOf(error))
  }
  return {
    fail,
    onRequestStart(controller) {
      sending = controller
      if (isLate) controller.abort(new Error('timeout'))
    },
    onResponseStart(_, status) {
      httpStatus = status
    },
    onResponseData(_, bytes) {
      parts.push(bytes)
    },
    onResponseEnd() {
      clearTimeout(timer)
      settle(parse(httpStatus, Buffer.concat(parts).toString()))
    },
    onResponseError(_, error) {
      fail(error)
    },
  }
}

type Address = Pick<Dispatcher.DispatchOptions, 'path'> & {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
}

function addressOf(rpcUrl: string): Address {
  const json = { 'content-type': 'application/json' }
  if (!URL.canParse(rpcUrl)) return { origin: rpcUrl, path: '/', headers: json }
  const { url, headers } = basicAuthorization(new URL(rpcUrl))
  const { origin, pathname, search } = url
  return { origin, path: pathname + search, headers: { ...json, ...headers } }
}

function parse(httpStatus: number, text: string): Posted {
  try {
    const content: unknown = JSON.parse(text)
    return { status: 'answered', httpStatus, content }
  } catch {
    const reason = httpStatus < 300 ? 'the answer is not JSON' : text.slice(0, 200)
    return { status: 'failed', reason, httpStatus }
  }
}

function failureOf(error: unknown): Posted {
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
