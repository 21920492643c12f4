/**
 * What was started, to be closed in reverse order: the part of `AsyncDisposableStack` that is used
 * here, under its names, until Node 22, which lacks it, is no longer supported.
 */
export type Stack = {
  /** Takes over a resource, with the function that closes it. */
  adopt<Resource>(resource: Resource, onDispose: (resource: Resource) => unknown): Resource
  /** Closes everything, the last first, each once; one that fails stops no other. */
  disposeAsync(): Promise<void>
}

/** An empty stack of resources. */
export function createStack(): Stack {
  const disposals: (() => unknown)[] = []
  return {
    adopt: (resource, onDispose) => {
      disposals.push(() => onDispose(resource))
      return resource
    },
    disposeAsync: async () => {
      const faults: unknown[] = []
      for (let dispose = disposals.pop(); dispose !== undefined; dispose = disposals.pop()) {
        try {
          await dispose()
        } catch (fault) {
          faults.push(fault)
        }
      }
      if (faults.length > 0) throw new AggregateError(faults, 'Not every resource could be closed')
    },
  }
}
