/** Bytes that clients hold, within a share for each and a limit for all. */
export type ByteShares = {
  /** The limit that this many more bytes of a client would exceed, if any. */
  exceededBy(client: string, more: number): 'service_full' | 'client_full' | undefined
  /** Adds bytes, or removes them if negative. */
  add(client: string, more: number): void
}

export function createByteShares(limits: {
  readonly ofAll: number
  readonly ofClient: number
}): ByteShares {
  const heldBy = new Map<string, number>()
  let held = 0
  return {
    exceededBy: (client, more) => {
      if ((heldBy.get(client) ?? 0) + more > limits.ofClient) return 'client_full'
      return held + more > limits.ofAll ? 'service_full' : undefined
    },
    add: (client, more) => {
      const ofClient = (heldBy.get(client) ?? 0) + more
      held += more
      if (ofClient === 0) heldBy.delete(client)
      else heldBy.set(client, ofClient)
    },
  }
}
