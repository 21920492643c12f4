import { type BaseError, HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { createKnownAnswers, keyOf, type Question } from './known-answers.ts'
import type { RpcPost } from './rpc-post.ts'
import { urlRedaction } from './url-secrets.ts'

/** The log repeats the message of a node, which may be a whole page. */
const maxShown = 500

type Asked = { readonly method: string; readonly params?: unknown }

type Call = Question & {
  readonly id: number
  readonly answer: Promise<unknown>
  resolve(result: unknown): void
  reject(error: BaseError): void
}

/** Public nodes take ten calls in one request. */
const callsPerRequest = 10

/** The one method that is not a read: a node that has the transaction already may answer otherwise. */
const sendsTransaction = 'eth_sendRawTransaction'

/**
 * Calls that are never batched: one that moves money must not fail because of another, and a search
 * of the logs takes longer than anything else.
 */
const alone: ReadonlySet<string> = new Set([sendsTransaction, 'eth_getLogs'])

/**
 * Sends JSON-RPC calls to a node. Calls of one turn of the event loop go in one request, equal ones
 * as one call. A node that does not accept batches gets one call per request.
 *
 * Errors are viem's, but name the node by its host and the call by its method alone: its address
 * may hold a key.
 */
export function createRpcTransport(
  post: RpcPost,
  { rpcUrl, freshMs }: { readonly rpcUrl: string; readonly freshMs: number },
): (asked: Asked) => Promise<unknown> {
  const known = createKnownAnswers(freshMs)
  const failures = failuresOf(rpcUrl)
  const waiting = new Map<string, Call>()
  let ids = 0
  let takesBatches = true

  function createCall(question: Question): Call {
    const { promise: answer, resolve, reject } = Promise.withResolvers<unknown>()
    ids += 1
    return { ...question, id: ids, resolve, reject, answer }
  }

  function flush(): void {
    const calls = [...waiting.values()]
    waiting.clear()
    const size = takesBatches ? callsPerRequest : 1
    for (let at = 0; at < calls.length; at += size) void send(calls.slice(at, at + size))
  }

  async function send(calls: readonly Call[]): Promise<void> {
    const isRead = calls.every(({ method }) => method !== sendsTransaction)
    const answer = await post({ body: bodyOf(calls), isRead })
    if (answer.status === 'answered' && calls.length > 1 && isRefusedBatch(answer)) {
      takesBatches = false
      await Promise.all(calls.map((call) => send([call])))
      return
    }
    const answers = answer.status === 'answered' ? byId(answer.content) : undefined
    for (const call of calls) {
      const content = answers?.get(call.id)
      if (content !== undefined && 'result' in content && isOf(call.method, content.result)) {
        known.keep(call, content.result)
        call.resolve(content.result)
      } else call.reject(failures(call.method, content ?? answer))
    }
  }

  return function request({ method, params = [] }) {
    const question = { method, params: JSON.stringify(params) }
    if (alone.has(method)) {
      const call = createCall(question)
      void send([call])
      return call.answer
    }
    const key = keyOf(question)
    const result = known.find(key)
    if (result !== undefined) return Promise.resolve(result)
    const same = waiting.get(key)
    if (same !== undefined) return same.answer
    const call = createCall(question)
    if (waiting.size === 0) setImmediate(flush)
    waiting.set(key, call)
    return call.answer
  }
}

function bodyOf(calls: readonly Call[]): string {
  const bodies = calls.map(bodyOfCall)
  return bodies.length === 1 ? bodies.join() : `[${bodies.join()}]`
}

function bodyOfCall({ id, method, params }: Call): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`
}

type Posted = Awaited<ReturnType<RpcPost>>
type Answered = Extract<Posted, { readonly status: 'answered' }>
type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown }
type Content = { readonly result: unknown } | { readonly error: RpcError }

/** Overload is not a refusal: the next batch may be answered. */
function isRefusedBatch({ content, httpStatus }: Answered): boolean {
  return !Array.isArray(content) && httpStatus < 500 && httpStatus !== 429
}

/** One answer by itself may lack its id, as when the node could not read the request. */
function byId(content: unknown): { get(id: number): Content | undefined } {
  if (!Array.isArray(content)) {
    const only = readContent(content)
    return { get: () => only }
  }
  const found = new Map<unknown, Content | undefined>()
  for (const one of content) found.set(idOf(one), readContent(one))
  return { get: (id) => found.get(id) }
}

function idOf(content: unknown): unknown {
  return typeof content === 'object' && content !== null && 'id' in content ? content.id : undefined
}

function readContent(content: unknown): Content | undefined {
  if (typeof content !== 'object' || content === null) return undefined
  if ('error' in content && isRpcError(content.error)) return { error: content.error }
  return 'result' in content ? { result: content.result } : undefined
}

/** What a method returns that does not return hexadecimal text, with a field that is in each. */
const objects: Readonly<Record<string, string>> = {
  eth_getBlockByNumber: 'hash',
  eth_getTransactionByHash: 'input',
  eth_getTransactionReceipt: 'logs',
}

/** Whether a result is one of the method: proxies of nodes also answer null and worse. */
function isOf(method: string, result: unknown): boolean {
  if (method === 'eth_getLogs') return Array.isArray(result)
  const field = objects[method]
  if (field === undefined) return typeof result === 'string' && /^0x[0-9a-f]*$/i.test(result)
  return typeof result === 'object' && (result === null || Boolean(Reflect.get(result, field)))
}

function isRpcError(error: unknown): error is RpcError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'number' &&
    'message' in error &&
    typeof error.message === 'string'
  )
}

function failuresOf(rpcUrl: string) {
  const url = new URL(rpcUrl).host
  const clean = urlRedaction(rpcUrl)
  return function failure(method: string, answer: Posted | Content): BaseError {
    const body = { method }
    if ('error' in answer) {
      const { code, data, message } = answer.error
      const shown = clean(message).slice(0, maxShown)
      return new RpcRequestError({ url, body, error: { code, data, message: shown } })
    }
    if ('status' in answer && answer.status === 'timeout') return new TimeoutError({ url, body })
    if ('status' in answer && answer.status === 'failed') {
      const { reason, httpStatus } = answer
      const details = clean(reason)
      return new HttpRequestError({ url, body, details, ...(httpStatus && { status: httpStatus }) })
    }
    const status =
      'httpStatus' in answer && answer.httpStatus >= 300 ? answer.httpStatus : undefined
    const details =
      'result' in answer ? `the answer is not a result of ${method}` : 'the answer is not JSON-RPC'
    return new HttpRequestError({ url, body, details, ...(status && { status }) })
  }
}
