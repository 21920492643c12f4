import type { OpenRequests } from '../paid/open-requests.ts'

/**
 * Waits until no request is open and every response is sent. After `drainMs`, aborts the requests that are
 * still open, and waits only for their end.
 */
export async function drainWithin(openRequests: OpenRequests, drainMs: number): Promise<void> {
  const giveUp = setTimeout(() => {
    openRequests.abort()
  }, drainMs)
  await openRequests.drain()
  clearTimeout(giveUp)
}
