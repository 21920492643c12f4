/** Runs the tasks of one key one after the other, whether or not earlier ones failed. */
export type OneAtATime<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>

export function createOneAtATime<Key>(): OneAtATime<Key> {
  const lasts = new Map<Key, Promise<unknown>>()
  return async function oneAtATime(key, work) {
    const run = (lasts.get(key) ?? Promise.resolve()).then(work)
    const last = run.catch(() => undefined)
    lasts.set(key, last)
    try {
      return await run
    } finally {
      if (lasts.get(key) === last) lasts.delete(key)
    }
  }
}
