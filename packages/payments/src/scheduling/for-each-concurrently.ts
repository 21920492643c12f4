/** Runs a job for each item, with limited concurrency. The first failure ends it and is thrown. */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  atOnce: number,
  job: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  async function work(): Promise<void> {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await job(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
