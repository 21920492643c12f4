/** Public price lists are one or two megabytes. */
const maxBytes = 32 * 1024 * 1024
const timeoutMs = 30_000

/** Fetches JSON; rejects on any other status than 200, above 32 MB, and after 30 seconds. */
export async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new FetchJsonError(url, `returned ${response.status}`)
  }
  const body: AsyncIterable<Uint8Array, undefined> = response.body
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new FetchJsonError(url, `is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** A URL could not be fetched. Its query, which may hold a key, is not repeated. */
export class FetchJsonError extends Error {
  override readonly name = 'FetchJsonError'
  readonly code = 'fetch_failed'
  constructor(url: string, problem: string) {
    super(`${url.replace(/[?#].*$/s, '')} ${problem}`)
  }
}
