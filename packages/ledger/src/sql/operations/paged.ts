import { LedgerError, type OnCorruptRow } from '../../payment/ledger-error.ts'
import type { Executor } from '../executor.ts'
import type { Operation, Row } from '../queries/query.ts'

/** One page of an export, and where the next begins: null after the last. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next: bigint | null }

/** The rows that can be read; without `onCorrupt`, one that cannot ends the export. */
export function readable<Item>(
  rows: readonly Row[],
  read: (row: Row) => Item,
  onCorrupt: OnCorruptRow | undefined,
): readonly Item[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      if (onCorrupt === undefined || !(error instanceof LedgerError)) throw error
      onCorrupt(error)
      return []
    }
  })
}

/** Every item of an export, from one snapshot. */
export async function* paged<Item>(
  executor: Executor,
  page: (after: bigint) => Operation<Page<Item>>,
): AsyncGenerator<Item> {
  const snapshot = await executor.snapshot()
  try {
    for (let after: bigint | null = 0n; after !== null; ) {
      const from: bigint = after
      const { items, next }: Page<Item> = await snapshot.read(() => page(from))
      yield* items
      after = next
    }
  } finally {
    await snapshot.close()
  }
}
