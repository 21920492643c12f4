import { once } from 'node:events'
import { exportLine } from '@farebox/ledger'
import { openStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'

/** Writes every payment to standard output as a line of JSON, with back-pressure. */
export async function ledgerExport(config: Config): Promise<number> {
  const output = process.stdout
  const closed = new AbortController()
  output.once('error', () => {
    closed.abort()
  })
  const store = await openStore(config)
  try {
    for await (const { payment, entries } of store.exportPayments()) {
      const hasRoom = output.write(`${JSON.stringify(exportLine(payment, entries))}\n`)
      // If the reader (such as `head`) has closed, `drain` never fires.
      if (!hasRoom && !closed.signal.aborted) await once(output, 'drain').catch(() => undefined)
      if (closed.signal.aborted) break
    }
    return 0
  } finally {
    await store.close()
  }
}
