import type { IncomingMessage } from 'node:http'

const maxBytes = 64 * 1024 * 1024

/** Reads a body; `too_large` above 64 MB. */
export async function readBody(
  request: IncomingMessage,
): Promise<Uint8Array<ArrayBuffer> | 'too_large'> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue
    size += chunk.length
    if (size > maxBytes) return 'too_large'
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
