import { once } from 'node:events'
import { exportLine } from '@farebox/ledger'
import { openStore } from '../open-store.ts'
import type { Config } from '../settings.ts'

/** Writes every payment as a JSON line to standard output, and waits for whoever reads it. */
export async function ledgerExport(config: Config): Promise<number> {
  const store = await openStore(config)
  try {
    for await (const { payment, entries } of store.exportPayments()) {
      const line = `${JSON.stringify(exportLine(payment, entries))}\n`
      if (!process.stdout.write(line)) await once(process.stdout, 'drain')
    }
    return 0
  } finally {
    await store.close()
  }
}
