import type { LedgerStore } from '@farebox/ledger'
import type { Finding } from '../finding.ts'

export type CheckedRows = Pick<
  LedgerStore,
  'exportChannels' | 'exportMovements' | 'exportRefunds' | 'exportPayments'
>

/** How long rows are read: a ledger of millions of payments takes minutes. */
const maxMs = 10_000
/** The most rows that are named. */
const maxNamed = 20

/** Reads the rows of the ledger, and names those that cannot be read. */
export async function checkRows(
  store: CheckedRows,
  now: () => number,
): Promise<readonly Finding[]> {
  const until = now() + maxMs
  const unreadable = new Set<string>()
  const onCorrupt = ({ message }: Error): void => {
    unreadable.add(message)
  }
  const exports = [
    store.exportChannels(onCorrupt),
    store.exportMovements(onCorrupt),
    store.exportRefunds(onCorrupt),
    store.exportPayments(onCorrupt),
  ]
  let isWhole = true
  for (const rows of exports) {
    for await (const _ of rows) {
      isWhole &&= now() < until
      if (!isWhole) break
    }
  }
  const wrong = [...unreadable].slice(0, maxNamed).map(rowFinding)
  return isWhole ? wrong : [...wrong, notWhole]
}

function rowFinding(message: string): Finding {
  const fix = 'correct it from a copy of the ledger; until then what it is about waits'
  return { verdict: 'wrong', subject: 'database', message, fix }
}

const notWhole: Finding = {
  verdict: 'note',
  subject: 'database',
  message: `not all rows were read within ${maxMs / 1_000} seconds: audit reads them all`,
}
