import type { ChatCall, ChatProvider, ChatStream } from '../provider/chat-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import type { Clock } from '../transport/clock.ts'
import { defaultTimeouts } from '../transport/timeouts.ts'

/** One way to serve a request: a provider, and the call as it goes there. */
export type RoutedCall = { readonly provider: Pick<ChatProvider, 'open'>; readonly call: ChatCall }

/**
 * Opens the first route that responds, in order. The next route is called only if the one before
 * provably executed nothing, so that a request never runs twice. Only the last one is retried.
 *
 * A client waits once: the longest `firstToken` of the routes is the time for all of them.
 *
 * `onBegin` gets each route as it is called; the last one is the route of the stream.
 *
 * @throws {UpstreamError} of the first route that may have executed the call, or of the last one that
 *   was called.
 */
export async function openFirstRoute<Route extends RoutedCall>(
  routes: readonly [Route, ...Route[]],
  onBegin: (route: Route) => void,
  clock: Clock = Date.now,
): Promise<ChatStream> {
  const times = routes.map(({ call }) => call.firstToken ?? defaultTimeouts.firstToken)
  const until = clock() + Math.max(...times)
  const [first, ...others] = routes
  const begin = (route: Route): ChatCall => {
    onBegin(route)
    return route === first ? route.call : { ...route.call, until }
  }
  let route = first
  for (const next of others) {
    const call = begin(route)
    try {
      return await route.provider.open({ ...call, attempts: 1 })
    } catch (error) {
      if (!mayRunElsewhere(error, call) || clock() >= until) throw error
    }
    route = next
  }
  return await route.provider.open(begin(route))
}

function mayRunElsewhere(error: unknown, { signal, stop }: ChatCall): boolean {
  const isOver = signal.aborted || stop?.aborted === true
  return error instanceof UpstreamError && error.executed === 'no' && !isOver
}
