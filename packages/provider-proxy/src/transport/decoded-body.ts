import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

export type Encoded = {
  readonly body: Uint8Array
  readonly headers: IncomingHttpHeaders
  /** The longest text that is decoded, in bytes. */
  readonly maxLength: number
}

/**
 * The text of a body. Proxies before a provider may compress it although `identity` was asked for.
 * A body that cannot be decoded is empty.
 */
export function decodedBody(encoded: Encoded): string {
  try {
    return decoded(encoded).toString('utf8')
  } catch {
    return ''
  }
}

function decoded({ body, headers, maxLength: maxOutputLength }: Encoded): Buffer {
  switch (headers['content-encoding']?.trim().toLowerCase()) {
    case 'gzip':
      return gunzipSync(body, { maxOutputLength })
    case 'deflate':
      return inflateSync(body, { maxOutputLength })
    case 'br':
      return brotliDecompressSync(body, { maxOutputLength })
    default:
      return Buffer.from(body)
  }
}
