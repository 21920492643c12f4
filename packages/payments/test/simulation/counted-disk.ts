import { createMemoryDisk, type MemoryDisk } from '@farebox/ledger'

export type CountedDisk = MemoryDisk & {
  /** How often it was written to. */
  writes(): number
}

/** A memory disk that tells whether there is anything new to check. */
export function createCountedDisk(): CountedDisk {
  const disk = createMemoryDisk()
  let writes = 0
  return {
    ...disk,
    commit(changes) {
      writes += 1
      disk.commit(changes)
    },
    restore(snapshot) {
      writes += 1
      disk.restore(snapshot)
    },
    writes: () => writes,
  }
}
