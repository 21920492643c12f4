import type { Around } from './around.ts'

/** Exports a list that is read in one operation. */
export async function* eachOf<Item>(
  around: Around,
  list: () => readonly Item[],
): AsyncGenerator<Item> {
  yield* await around(list)
}
