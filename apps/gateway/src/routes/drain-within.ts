import type { OpenRequests } from '../paid/open-requests.ts'

/** Waits until no request is open, and aborts those that still are after `drainMs`. */
export async function drainWithin(openRequests: OpenRequests, drainMs: number): Promise<void> {
  const giveUp = setTimeout(() => {
    openRequests.abort()
  }, drainMs)
  await openRequests.drain()
  clearTimeout(giveUp)
}
