import { isObject } from '../wire/is-object.ts'

/** The response to a posted JSON document. */
export type JsonResponse =
  | {
      readonly status: 'received'
      /** The HTTP status. */
      readonly code: number
      readonly body: Readonly<Record<string, unknown>>
    }
  | { readonly status: 'timeout' | 'unreachable' | 'garbage' | `http_${number}` }

export type JsonPost = {
  readonly url: URL
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Responses of facilitators take less than one kilobyte. */
const maxBodyBytes = 64 * 1024

/** Posts JSON once. Does not follow redirects, read long bodies, or retry. */
export async function postJson({ url, body, headers, signal }: JsonPost): Promise<JsonResponse> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
    })
    const answer = parsed(await readCapped(response))
    const { ok, status: code } = response
    const isRead = isObject(answer) && code < 500 && code !== 429
    if (isRead) return { status: 'received', code, body: answer }
    return { status: ok ? 'garbage' : `http_${code}` }
  } catch {
    return { status: signal.aborted ? 'timeout' : 'unreachable' }
  }
}

/** The parsed text; undefined when it is not JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The body as text; undefined when it is longer than any honest response. */
async function readCapped(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  const reader = response.body?.getReader()
  let length = 0
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    const chunk: unknown = read.value
    if (!(chunk instanceof Uint8Array)) return undefined
    length += chunk.byteLength
    if (length > maxBodyBytes) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
