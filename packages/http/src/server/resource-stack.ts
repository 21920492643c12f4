/**
 * Open resources, closed in reverse order: the part of `AsyncDisposableStack` that is used here, under
 * its method names, until Node 22, which lacks it, is no longer supported.
 */
export type ResourceStack = {
  /** Takes over a resource, with the function that closes it. */
  adopt<Resource>(resource: Resource, onDispose: (resource: Resource) => unknown): Resource
  /**
   * Closes every resource once, the last adopted first, even if some fail.
   *
   * @throws {AggregateError} with the errors of those that failed.
   */
  disposeAsync(): Promise<void>
}

/**
 * Opens what `open` adopts. If `open` fails, closes what it has adopted and throws its error: an error
 * of closing goes to `onCloseFault`.
 */
export async function openResources<Opened>(
  open: (stack: ResourceStack) => Promise<Opened>,
  onCloseFault: (fault: unknown) => void,
): Promise<Opened> {
  const stack = createResourceStack()
  try {
    return await open(stack)
  } catch (error) {
    await stack.disposeAsync().catch(onCloseFault)
    throw error
  }
}

/** Creates an empty stack. */
export function createResourceStack(): ResourceStack {
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
