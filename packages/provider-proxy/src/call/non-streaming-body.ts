import { arrayAt, isRecord, parseJson } from '../wire/json-reading.ts'
import { maxEventLength } from './event-stream-body.ts'
import type { ResponseBody } from './response-body.ts'

/**
 * Reads a complete response of a server that ignores `stream`, as the event stream that it
 * replaces; any other JSON is an error.
 */
export function createNonStreamingBody(stream: ResponseBody, error: ResponseBody): ResponseBody {
  const parts: Uint8Array[] = []
  let length = 0
  return {
    read(bytes) {
      length += bytes.length
      if (length > maxEventLength) return error.end()
      parts.push(bytes)
      return []
    },
    end(cause) {
      const body = Buffer.concat(parts)
      const events = cause === undefined ? asEventStream(body.toString()) : undefined
      if (events !== undefined) return [...stream.read(events), ...stream.end()]
      return [...error.read(body), ...error.end()]
    },
  }
}

function asEventStream(body: string): Uint8Array | undefined {
  const json = parseJson(body)
  if (!isRecord(json) || (json['error'] ?? null) !== null) return undefined
  if (arrayAt(json, 'choices').length === 0) return undefined
  // In JSON, line breaks are only between values.
  return Buffer.from(`data: ${body.replaceAll(/[\r\n]+/g, ' ')}\n\ndata: [DONE]\n\n`)
}
