import { readReply } from './call-service.ts'

/** Why the service rejected a payment, as the code in its 402; a text after the code is part of it. */
export function rejectionCode(headers: Headers): string | undefined {
  const required = headers.get('payment-required')
  if (required === null) return undefined
  const reply = readReply<{ readonly error?: string }>(atob(required))
  return reply.status === 'ok' ? reply.body.error : undefined
}
