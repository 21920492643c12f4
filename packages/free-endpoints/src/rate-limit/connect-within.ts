import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Begins to connect, and waits for it only so long: a service that can do without its store of the
 * rate limit starts without it, and uses it from when it answers. Faults are the client's to report.
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
