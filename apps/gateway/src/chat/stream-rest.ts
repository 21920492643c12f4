import type { Usage } from '@farebox/pricing'
import {
  chatUsageJson,
  doneText,
  type RelayOutcome,
  streamErrorText,
} from '@farebox/provider-proxy'
import type { Response } from 'express'

/** The text that ends a relayed stream, with the receipt in its place. */
export function streamRest(
  outcome: RelayOutcome,
  billed: Usage,
  response: Pick<Response, 'closed'>,
): (receipt: string) => string {
  switch (outcome.status) {
    case 'complete': {
      const final = outcome.finalChunk(chatUsageJson(billed, outcome.timings))
      return (receipt) => final + receipt + doneText
    }
    case 'truncated':
      return (receipt) => receipt + truncated
    case 'client_gone': {
      const text = leaverText(outcome.reason, response)
      return () => text
    }
  }
}

function leaverText(reason: 'closed' | 'slow', { closed }: Pick<Response, 'closed'>): string {
  if (closed) return connectionLost
  return reason === 'slow' ? readTooSlowly : serviceStopped
}

const truncated = streamErrorText({
  message: 'The provider broke off. What was delivered is billed, the rest refunded.',
  code: 'upstream_truncated',
  type: 'api_error',
})

const connectionLost = streamErrorText({
  message: 'The connection was lost. What was delivered is billed, the rest refunded.',
  code: 'upstream_truncated',
  type: 'api_error',
})

const readTooSlowly = streamErrorText({
  message: 'The client read too slowly. What the provider made is billed, the rest refunded.',
  code: 'upstream_truncated',
  type: 'api_error',
})

const serviceStopped = streamErrorText({
  message: 'The service stopped. What was delivered is billed, the rest refunded.',
  code: 'shutting_down',
  type: 'api_error',
})
