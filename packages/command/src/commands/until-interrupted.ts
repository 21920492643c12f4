import type { LocalServer } from '../local/start-local-server.ts'

/** Keeps a server until Ctrl-C, then stops it. */
export async function untilInterrupted(server: LocalServer, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  await server.stop()
}
