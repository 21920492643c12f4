import { DevnetError } from '../devnet-error.ts'

/** Calls one JSON-RPC method; an error response rejects with `rpc_failed`. */
export type JsonRpc = <Result>(method: string, params: readonly unknown[]) => Promise<Result>

type Answer<Result> = {
  readonly result: Result
  readonly error?: { readonly code: number; readonly message: string }
}

export function createJsonRpc(url: string): JsonRpc {
  return async function call<Result>(method: string, params: readonly unknown[]): Promise<Result> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }).catch((cause: unknown) => {
      throw new DevnetError('rpc_failed', `${method}: the chain at ${url} could not be reached`, {
        cause,
      })
    })
    // The caller chooses the type of the result, since JSON-RPC is untyped.
    const answer = (await response.json().catch((cause: unknown) => {
      const problem = `the response of ${url} is not JSON (status ${response.status})`
      throw new DevnetError('rpc_failed', `${method}: ${problem}`, { cause })
    })) as Answer<Result>
    if (answer.error !== undefined) {
      throw new DevnetError('rpc_failed', `${method}: ${answer.error.message}`)
    }
    return answer.result
  }
}
