import { once } from 'node:events'
import { exportLine } from '@farebox/ledger'
import { openStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'

/** Writes every payment as a JSON line to standard output, and waits for whoever reads it. */
export async function ledgerExport(config: Config): Promise<number> {
  const output = process.stdout
  const readerGone = new AbortController()
  output.once('error', () => {
    readerGone.abort()
  })
  const store = await openStore(config)
  try {
    for await (const { payment, entries } of store.exportPayments()) {
      const goesOn = output.write(`${JSON.stringify(exportLine(payment, entries))}\n`)
      // `head` has read enough and is gone: then there will be no `drain`.
      if (!goesOn && !readerGone.signal.aborted) await once(output, 'drain').catch(() => undefined)
      if (readerGone.signal.aborted) break
    }
    return 0
  } finally {
    await store.close()
  }
}
