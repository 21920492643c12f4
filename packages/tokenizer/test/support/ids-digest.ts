import { createHash } from 'node:crypto'

/** A short digest of a list of ids. */
export function idsDigest(ids: readonly number[]): string {
  return createHash('sha256').update(ids.join()).digest('base64url').slice(0, 16)
}
