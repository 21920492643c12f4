import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerStore } from '@farebox/ledger'
import { sqlitePath } from '@farebox/ledger/sql'
import type { DependencyCheck } from './dependency-monitor.ts'

const timeoutMs = 5_000
const late: DependencyCheck = { status: 'unavailable', reason: 'it does not respond' }

/**
 * Checks that the ledger's database responds. This process can still use a SQLite file or log after it
 * was removed or replaced, but loses what it writes: the files must be those that it opened.
 */
export async function createDatabaseCheck(
  store: Pick<LedgerStore, 'ping'>,
  url: string,
): Promise<() => Promise<DependencyCheck>> {
  const path = sqlitePath(url)
  if (path === undefined) return () => checkDatabase(store)
  const opened = await Promise.all(
    [path, `${path}-wal`].map(async (file) => ({ file, identity: await identityOf(file) })),
  )
  return async () => {
    for (const { file, identity } of opened) {
      if ((await identityOf(file)) !== identity) return moved(file)
    }
    return checkDatabase(store)
  }
}

function moved(file: string): DependencyCheck {
  const reason = `${file} was removed or replaced: move the former file back, or restart`
  return { status: 'unavailable', reason }
}

async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.dev}:${found.ino}`
}

async function checkDatabase(store: Pick<LedgerStore, 'ping'>): Promise<DependencyCheck> {
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
