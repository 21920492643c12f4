import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LoopbackServer, readText, startLoopbackServer } from './loopback-server.ts'

/** One JSON-RPC call as it arrives. */
export type RpcCall = {
  readonly method: string
  readonly params: readonly unknown[]
  /** Number of calls of this method so far, including this one. */
  readonly nth: number
}

/** The fault of a call. Only `delay`, `lose-answer` and `hang-after` reach the node. */
export type RpcFault =
  | { readonly kind: 'delay'; readonly ms: number }
  /** The node runs the call, and the connection breaks before the response. */
  | { readonly kind: 'lose-answer' }
  /** The node runs the call, and the response never arrives. */
  | { readonly kind: 'hang-after' }
  /** Breaks the connection immediately. */
  | { readonly kind: 'refuse' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Responds 200 with a body that is not JSON. */
  | { readonly kind: 'garbage'; readonly body?: string }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** Responds with this result instead of the node's. */
  | { readonly kind: 'result'; readonly result: unknown }

/** Chooses the fault of each call; `undefined` lets the call through. */
export type RpcRule = (call: RpcCall) => RpcFault | undefined

export type RpcFaults = {
  /** Pass this URL to the code under test instead of the node's. */
  readonly url: string
  /** All calls so far, in order of arrival. */
  readonly calls: readonly RpcCall[]
  /** Replaces the rule; without a rule every call passes. */
  setRule(rule?: RpcRule): void
  stop(): Promise<void>
}

export type RpcFaultsOptions = {
  /** URL of the real node. */
  readonly target: string
  readonly rule?: RpcRule
  readonly port?: number
}

/**
 * A JSON-RPC proxy in front of a node that breaks calls by rule. The first fault in a batch applies
 * to the whole batch, because the batch uses one connection.
 */
export async function startRpcFaults(options: RpcFaultsOptions): Promise<RpcFaults> {
  const calls: RpcCall[] = []
  const state: { rule: RpcRule | undefined } = { rule: options.rule }

  function judge(body: string): RpcFault | undefined {
    const arrived = parseCalls(body).map(({ method, params }) => {
      const nth = calls.filter((call) => call.method === method).length + 1
      const call = { method, params, nth }
      calls.push(call)
      return call
    })
    return arrived.map((call) => state.rule?.(call)).find((fault) => fault !== undefined)
  }

  const server: LoopbackServer = await startLoopbackServer((request, response) => {
    handle({ request, response, target: options.target, judge }).catch(() => response.destroy())
  }, options.port)
  return {
    url: server.url,
    calls,
    setRule(rule) {
      state.rule = rule
    },
    stop: server.stop,
  }
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: string
  readonly judge: (body: string) => RpcFault | undefined
}

async function handle({ request, response, target, judge }: Exchange): Promise<void> {
  const body = await readText(request)
  const fault = judge(body)
  switch (fault?.kind) {
    case undefined:
      return answer(response, 200, await forward(target, body))
    case 'delay':
      await sleep(fault.ms)
      return answer(response, 200, await forward(target, body))
    case 'lose-answer':
      await forward(target, body)
      response.destroy()
      return
    case 'hang-after':
      await forward(target, body)
      return
    case 'refuse':
      response.destroy()
      return
    case 'hang':
      return
    case 'status':
      return answer(response, fault.status, fault.body ?? 'upstream error')
    case 'garbage':
      return answer(response, 200, fault.body ?? '<html>')
    case 'error':
      return answer(
        response,
        200,
        envelope(body, { error: { code: fault.code, message: fault.message } }),
      )
    case 'result':
      return answer(response, 200, envelope(body, { result: fault.result }))
  }
}

async function forward(target: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(target, { method: 'POST', headers, body })
  return await response.text()
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

type ParsedCall = { readonly id: unknown; readonly method: string; readonly params: unknown[] }

function parseCalls(body: string): readonly ParsedCall[] {
  const parsed: unknown = JSON.parse(body)
  return (Array.isArray(parsed) ? parsed : [parsed]).map((call: object) => {
    const id: unknown = Reflect.get(call, 'id')
    const params: unknown = Reflect.get(call, 'params')
    return {
      id,
      method: String(Reflect.get(call, 'method')),
      params: Array.isArray(params) ? Array.from<unknown>(params) : [],
    }
  })
}

function envelope(body: string, content: object): string {
  const answers = parseCalls(body).map(({ id }) => ({ jsonrpc: '2.0', id, ...content }))
  return JSON.stringify(body.trimStart().startsWith('[') ? answers : answers[0])
}
