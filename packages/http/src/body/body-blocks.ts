/** Bytes in order, in their own memory. */
export type BodyBlocks = {
  readonly length: () => number
  /** Copies bytes; false if `allocate` refused the memory for them. */
  readonly add: (bytes: Uint8Array) => boolean
  readonly take: () => readonly Uint8Array<ArrayBuffer>[]
}

const minBlockBytes = 4 * 1024
const maxBlockBytes = 1024 * 1024

/**
 * Gathers bytes in a few blocks that grow with what has arrived: as a separate object, a chunk of one
 * byte would take a hundred, and a client chooses its chunks. `allocate` may refuse each block.
 */
export function createBodyBlocks(allocate: (bytes: number) => boolean): BodyBlocks {
  const blocks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  /** Bytes used in the last block. */
  let used = 0

  function add(bytes: Uint8Array): boolean {
    let rest = bytes
    while (rest.length > 0) {
      const block = blockWithRoom()
      if (block === undefined) return false
      const part = rest.subarray(0, block.length - used)
      block.set(part, used)
      used += part.length
      length += part.length
      rest = rest.subarray(part.length)
    }
    return true
  }

  function blockWithRoom(): Uint8Array<ArrayBuffer> | undefined {
    const last = blocks.at(-1)
    if (last !== undefined && used < last.length) return last
    const size = Math.min(Math.max(length, minBlockBytes), maxBlockBytes)
    if (!allocate(size)) return undefined
    const block = new Uint8Array(size)
    blocks.push(block)
    used = 0
    return block
  }

  return {
    length: () => length,
    add,
    take: () =>
      blocks.map((block, at) => (at === blocks.length - 1 ? block.subarray(0, used) : block)),
  }
}
