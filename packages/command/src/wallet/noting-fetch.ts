import type { FareboxClientOptions } from '@farebox/client'
import { type CommandIo, colored } from '../terminal/command-io.ts'
import { clearLine } from '../terminal/show-progress.ts'

type Fetch = NonNullable<FareboxClientOptions['fetch']>

/**
 * A fetch that notes why the client waits, when it repeats a paid request that is not decided: each
 * reason once.
 */
export function notingFetch(io: CommandIo): Fetch {
  let noted: string | undefined
  const noteWait = (reason: string | undefined): void => {
    if (reason !== undefined && reason !== noted) {
      if (io.colors) io.progress(clearLine)
      const text = `${reason}. The same payment is sent again, for up to a minute; it is taken once.`
      io.note(colored(io, 'yellow', text))
    }
    noted = reason
  }
  return async (input, init) => {
    if (!new Headers(init?.headers).has('payment-signature')) return await fetch(input, init)
    try {
      const response = await fetch(input, init)
      noteWait(reasonToWait(response))
      return response
    } catch (error) {
      if (init?.signal?.aborted !== true) noteWait('The connection to the gateway broke')
      throw error
    }
  }
}

/** Undefined for a response that is the decision. */
function reasonToWait({ status, headers }: Response): string | undefined {
  if (status === 502 || status === 504) return `A proxy answers in place of the gateway (${status})`
  if (!headers.has('retry-after')) return undefined
  if (status === 429) return 'Too many requests from this address (429)'
  return status === 503 ? 'The gateway has not decided yet (503)' : undefined
}
