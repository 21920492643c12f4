import { once } from 'node:events'
import { exportLine } from '@farebox/ledger'
import { openStore } from '../open-store.ts'
import type { Config } from '../settings.ts'

/** Writes every payment as a JSON line to standard output, and waits for whoever reads it. */
export async function ledgerExport(config: Config): Promise<number> {
  const output = process.stdout
  let isReaderGone = false
  output.once('error', () => {
    isReaderGone = true
  })
  const store = await openStore(config)
  try {
    for await (const { payment, entries } of store.exportPayments()) {
      const goesOn = output.write(`${JSON.stringify(exportLine(payment, entries))}\n`)
      // `head` has read enough and is gone: then there will be no `drain`.
      if (!goesOn && !isReaderGone) await once(output, 'drain').catch(() => undefined)
      if (isReaderGone) break
    }
    return 0
  } finally {
    await store.close()
  }
}
