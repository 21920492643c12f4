import type { ServerResponse } from 'node:http'
import type { LocalRefusal } from '../local/local-refusal.ts'

/** Anthropic's names of error types, by status. */
const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
}

/** Sends an error in the shape of the interface that the path belongs to. */
export function sendWireError(
  response: ServerResponse,
  { status, code, message }: LocalRefusal,
  { url = '' }: { readonly url?: string | undefined },
): void {
  const body = url.startsWith('/v1/messages')
    ? { type: 'error', error: { type: anthropicTypes[status] ?? 'api_error', message, code } }
    : { error: { message, type: openAiType(status), code, param: null } }
  // The clients of both vendors send a call again by themselves unless a header forbids it.
  const headers = { 'content-type': 'application/json', 'x-should-retry': 'false' }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

function openAiType(status: number): string {
  return status < 500 ? 'invalid_request_error' : 'api_error'
}
