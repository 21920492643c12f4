import type { Executor } from '../executor.ts'
import type { Operation } from '../queries/query.ts'

/** One page of an export, and where the next begins: null after the last. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next: bigint | null }

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
