import { type FareboxClient, FareboxError } from '@farebox/client'
import type { LocalAccess } from '../local/local-refusal.ts'
import { type LocalServer, startLocalServer } from '../local/start-local-server.ts'
import { type ForwardEvents, forwardPaying } from './forward-paying.ts'
import { sendWireError } from './wire-error.ts'

export type ProxyOptions = LocalAccess & {
  /** Pays, within its caps. */
  readonly client: Pick<FareboxClient, 'fetch'>
  /** 0 picks a free one. */
  readonly port: number
  readonly events: ForwardEvents
}

/**
 * Starts a server on this machine that has the interfaces of OpenAI and Anthropic and pays for
 * each call. Apps use it with a base URL and a key. Throws `port_taken`, and `invalid_option` for what is missing.
 */
export async function startProxy({
  client,
  events,
  ...options
}: ProxyOptions): Promise<LocalServer> {
  checkCalled({ client, events })
  return await startLocalServer({
    ...options,
    serve: forwardPaying(client, events),
    refuse: (response, refusal, request) => {
      events.refused(refusal.code, refusal.message)
      sendWireError(response, refusal, request)
    },
  })
}

/** Without types, the first request would end this process. */
function checkCalled({ client, events }: Partial<ProxyOptions>): void {
  const called = {
    'client.fetch': client?.fetch,
    'events.paid': events?.paid,
    'events.refused': events?.refused,
  }
  for (const [name, value] of Object.entries(called)) {
    if (typeof value === 'function') continue
    throw new FareboxError('invalid_option', `${name} must be a function.`)
  }
}
