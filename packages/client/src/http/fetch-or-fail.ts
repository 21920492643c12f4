import { FareboxError } from '../farebox-error.ts'
import { inTime, type Limit } from './in-time.ts'

type Fetch = (url: string, init?: RequestInit) => Promise<Response>

type Target = Pick<Limit, 'url' | 'signal'>

export type FreeRequest = Limit & {
  readonly fetch: Fetch
  readonly init?: RequestInit | undefined
}

/**
 * Sends a request that costs nothing, and reads its response. Throws `connection_failed` if the server
 * cannot be reached, or if the response is not read in time.
 */
export async function fetchFree<Value>(
  { fetch, init, ...limit }: FreeRequest,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  return await inTime(limit, async (signal) => {
    const { url } = limit
    const send = async (): Promise<Response> => await fetch(url, { ...init, signal })
    return await read(await reach({ url, signal }, send, ''))
  })
}

/** Sends a request without a payment. Throws `connection_failed` if the server cannot be reached. */
export async function fetchOrFail(
  target: Target,
  send: () => Promise<Response>,
): Promise<Response> {
  return await reach(target, send, '; nothing was paid')
}

async function reach(
  { url, signal }: Target,
  send: () => Promise<Response>,
  remark: string,
): Promise<Response> {
  try {
    return await send()
  } catch (cause) {
    signal?.throwIfAborted()
    const { origin } = new URL(url)
    const message = `${origin} could not be reached${remark}.`
    throw new FareboxError('connection_failed', message, { cause })
  }
}
