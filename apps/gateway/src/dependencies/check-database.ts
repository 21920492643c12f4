import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerStore } from '@farebox/ledger'
import type { DependencyCheck } from './dependency-monitor.ts'

const timeoutMs = 5_000
const late: DependencyCheck = { status: 'unavailable', reason: 'it does not respond' }

/** Whether the ledger's database responds. */
export async function checkDatabase(store: Pick<LedgerStore, 'ping'>): Promise<DependencyCheck> {
  const settled = new AbortController()
  const timeout = sleep(timeoutMs, late, { ref: false, signal: settled.signal })
  timeout.catch(() => undefined)
  try {
    return await Promise.race([store.ping().then(() => ({ status: 'ok' }) as const), timeout])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { status: 'unavailable', reason }
  } finally {
    settled.abort()
  }
}
