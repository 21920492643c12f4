/** Public price lists are one or two megabytes. */
const mostBytes = 32 * 1024 * 1024
const timeoutMs = 30_000

/** Fetches JSON; rejects on anything but a 200 with JSON of a bearable size in time. */
export async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new FetchJsonError(url, `answered ${response.status}`)
  }
  const body: AsyncIterable<Uint8Array, undefined> = response.body
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw new FetchJsonError(url, `is larger than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** An address that did not give what it should. */
export class FetchJsonError extends Error {
  override readonly name = 'FetchJsonError'
  readonly code = 'fetch_failed'
  constructor(url: string, problem: string) {
    super(`${url} ${problem}`)
  }
}
