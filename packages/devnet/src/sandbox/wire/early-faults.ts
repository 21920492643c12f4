import { type Connection, destroy, sendJson, wait } from './connection.ts'
import { type Instructions, numberFrom } from './instructions.ts'
import type { LogEntry } from './request-log.ts'

const early = ['close_before_headers', 'close_after_headers', 'html', 'status']

/** Applies the faults that come before the response, and may replace it. */
export async function failEarly(
  connection: Connection,
  instructions: Instructions,
  entry: LogEntry,
): Promise<'responded' | 'continue'> {
  await wait(connection, numberFrom(instructions, 'slow_first_byte') ?? 0)
  if (!early.some((key) => instructions.has(key))) return 'continue'
  entry.end('faulted')
  if (instructions.has('close_before_headers')) destroy(connection)
  if (instructions.has('close_after_headers')) {
    connection.response.writeHead(200, { 'content-type': 'text/event-stream' })
    connection.response.flushHeaders()
    await wait(connection, 20)
    destroy(connection)
  }
  if (instructions.has('html')) {
    connection.response.writeHead(200, { 'content-type': 'text/html' })
    connection.response.end('<!doctype html><title>Sandbox</title>')
    return 'responded'
  }
  const status = numberFrom(instructions, 'status') ?? 500
  const retryAfter = instructions.get('retry_after')
  sendJson(connection, {
    status,
    body: errorBody(instructions, status),
    headers: { ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
  })
  return 'responded'
}

function errorBody(instructions: Instructions, status: number): object {
  const type = instructions.get('error_type') ?? 'sandbox_error'
  return { error: { message: `The sandbox fails with ${status} as instructed`, type, code: type } }
}
