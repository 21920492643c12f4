/** What was started, to be ended in the opposite order. */
export type Stack = {
  /** Takes a resource and how it ends. */
  own<Resource>(resource: Resource, end: (resource: Resource) => unknown): Resource
  /** Ends everything, the last first, each once; a failing end stops no other. */
  unwind(): Promise<void>
}

/** An empty stack of resources. */
export function createStack(): Stack {
  const ends: (() => unknown)[] = []
  return {
    own: (resource, end) => {
      ends.push(() => end(resource))
      return resource
    },
    unwind: async () => {
      const faults: unknown[] = []
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        try {
          await end()
        } catch (fault) {
          faults.push(fault)
        }
      }
      if (faults.length > 0) throw new AggregateError(faults, 'not everything could be ended')
    },
  }
}
