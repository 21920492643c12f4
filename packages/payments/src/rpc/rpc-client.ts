import type { Hex } from '@farebox/ledger'
import {
  BaseError,
  createPublicClient,
  custom,
  ExecutionRevertedError,
  HttpRequestError,
  numberToHex,
  type PublicClient,
  RawContractError,
  RpcRequestError,
  TimeoutError,
} from 'viem'
import { ChainError } from './chain-error.ts'
import { createRpcPost } from './rpc-post.ts'
import { createRpcTransport } from './rpc-transport.ts'

export type RpcOptions = {
  readonly rpcUrl: string
  /** How long one call may take. 10 seconds by default. */
  readonly timeoutMs?: number
  /**
   * How long a head, a block or the receipt of a mined transaction is reused before it is read again, in
   * milliseconds. 0 by default.
   */
  readonly freshMs?: number
  /** A client to share, with its known answers. Each part has its own by default. */
  readonly client?: PublicClient
}

/**
 * A client that asks once and times out; the caller decides whether to retry. Only a read whose
 * connection was closed is sent again.
 */
export function createRpcClient(options: RpcOptions): PublicClient {
  if (options.client !== undefined) return options.client
  const { rpcUrl, timeoutMs = 10_000, freshMs = 0 } = options
  if (!URL.canParse(rpcUrl)) throw new TypeError('rpcUrl must be the address of a node')
  const post = createRpcPost(rpcUrl, timeoutMs)
  return createPublicClient({
    transport: custom(
      { request: createRpcTransport(post, { rpcUrl, freshMs }) },
      { retryCount: 0 },
    ),
    cacheTime: 0,
  })
}

/** Reads from the chain, and turns any failure into a `ChainError` that names what was read. */
export async function ask<Answer>(subject: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof ChainError ? error : unavailable(subject, error)
  }
}

/**
 * Names the failure by its short text, and the node by its host. viem's own error is not passed on:
 * it repeats the whole request.
 */
function unavailable(subject: string, error: unknown): ChainError {
  if (!(error instanceof BaseError)) return new ChainError(subject, { cause: error })
  const reason = nodeError(error)?.message ?? transportFailure(error) ?? error.shortMessage
  return new ChainError(subject, { reason: reason.replace(/\.$/, '') })
}

function transportFailure(error: BaseError): string | undefined {
  const failed = error.walk(
    (cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError,
  )
  if (failed instanceof TimeoutError) return `${failed.url} did not respond in time`
  if (!(failed instanceof HttpRequestError)) return undefined
  const status = failed.status === undefined ? '' : ` with status ${failed.status}`
  return `the request to ${failed.url} failed${status}: ${failed.details}`
}

/** The outcome of a read-only call to a contract. */
export type CallOutcome =
  | { readonly status: 'returned'; readonly data: Hex }
  | { readonly status: 'reverted'; readonly message: string }

/** Calls a contract without a transaction. Throws `ChainError` when the node does not answer. */
export async function callContract(
  client: PublicClient,
  call: {
    /** What the call reads, for the error. */
    readonly subject: string
    /** Absent if `data` is code to run. */
    readonly to?: Hex
    readonly data: Hex
    readonly from?: Hex
    readonly gas?: bigint
    /** The block whose state and clock are read; the latest by default. */
    readonly block?: number | 'latest' | 'pending'
  },
): Promise<CallOutcome> {
  const { subject, to, data, from, gas, block = 'latest' } = call
  try {
    const transaction = {
      data,
      ...(to !== undefined && { to }),
      ...(from !== undefined && { from }),
      ...(gas !== undefined && { gas: numberToHex(gas) }),
    }
    const at = typeof block === 'number' ? numberToHex(block) : block
    const result = await client.request({ method: 'eth_call', params: [transaction, at] })
    return { status: 'returned', data: result }
  } catch (error) {
    const message = revertMessage(error)
    if (message === undefined) throw unavailable(subject, error)
    return { status: 'reverted', message }
  }
}

/** The word that a contract must return. Throws `ChainError` without one. */
export async function callForWord(
  client: PublicClient,
  call: Parameters<typeof callContract>[1] & { readonly to: Hex },
): Promise<bigint> {
  const outcome = await callContract(client, call)
  if (outcome.status === 'returned' && outcome.data.length === 66) return BigInt(outcome.data)
  const failed = outcome.status === 'reverted' ? 'reverted' : 'returned no number'
  throw new ChainError(call.subject, { reason: `${call.to} ${failed}` })
}

/** The reason of a revert; `undefined` when the call failed otherwise, and nothing is known. */
export function revertMessage(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined
  const reverted = error.walk(
    (cause) => cause instanceof ExecutionRevertedError || cause instanceof RawContractError,
  )
  if (reverted !== null) return reverted.message
  const answer = nodeError(error)
  return answer !== undefined && isStop.test(answer.message) ? answer.message : undefined
}

/** Code that reverts, or stops in another way, in the words of geth and of reth. */
const isStop =
  /revert|out ?of ?gas|gas required exceeds allowance|invalid (opcode|jump)|stack (underflow|limit)|write protection|out of bounds|gas uint64 overflow|EVM error:? (opcode|invalid|stack|notactivated|outofoffset|statechange)/i

/** The error that the node itself returned; `undefined` when it did not answer. */
export function nodeError(
  error: unknown,
): { readonly code: number; readonly message: string } | undefined {
  if (!(error instanceof BaseError)) return undefined
  const answer = error.walk((cause) => cause instanceof RpcRequestError)
  return answer instanceof RpcRequestError
    ? { code: answer.code, message: answer.details }
    : undefined
}

/** Whether the node rejected a query for being too large. */
export function isTooLarge(error: unknown): boolean {
  if (nodeError(error) !== undefined) return true
  if (!(error instanceof BaseError)) return false
  const answer = error.walk((cause) => cause instanceof HttpRequestError)
  return answer instanceof HttpRequestError && (answer.status === 400 || answer.status === 413)
}
