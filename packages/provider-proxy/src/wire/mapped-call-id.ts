import { createHash } from 'node:crypto'

/**
 * The id of a tool call as a provider accepts it: as it is, or else this many digits of its hash, the
 * same for the call and for its result.
 */
export function mappedCallId(id: string, accepted: RegExp, length: number): string {
  return accepted.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, length)
}
