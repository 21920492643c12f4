import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Starts to connect, and waits a limited time for it: the service starts without the store of its
 * rate limit and uses it once it is connected. The client reports faults itself.
 */
export async function connectWithin(
  connect: () => Promise<unknown>,
  milliseconds: number,
): Promise<void> {
  await Promise.race([
    connect().catch(() => undefined),
    sleep(milliseconds, undefined, { ref: false }),
  ])
}
