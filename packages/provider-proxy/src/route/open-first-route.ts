import type { ChatCall, ChatProvider, ChatStream } from '../provider/chat-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'

/** One way to serve a request: a provider, and the call as it goes there. */
export type RoutedCall = { readonly provider: Pick<ChatProvider, 'open'>; readonly call: ChatCall }

/**
 * Opens the first route that responds, in order. The next route is called only if the one before
 * provably executed nothing, so that a request never runs twice. Only the last one is retried.
 *
 * `onBegin` gets each route as it is called, and so at last the route of the stream.
 *
 * @throws {UpstreamError} of the first route that may have executed the call, or of the last one.
 */
export async function openFirstRoute<Route extends RoutedCall>(
  routes: readonly [Route, ...Route[]],
  onBegin: (route: Route) => void,
): Promise<ChatStream> {
  const [route, next, ...others] = routes
  onBegin(route)
  const { provider, call } = route
  if (next === undefined) return provider.open(call)
  try {
    return await provider.open({ ...call, attempts: 1 })
  } catch (error) {
    if (!mayRunElsewhere(error, call)) throw error
  }
  return openFirstRoute([next, ...others], onBegin)
}

function mayRunElsewhere(error: unknown, { signal, stop }: ChatCall): boolean {
  const isOver = signal.aborted || stop?.aborted === true
  return error instanceof UpstreamError && error.executed === 'no' && !isOver
}
