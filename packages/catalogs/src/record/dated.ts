/** Anything that holds from a moment on. */
export type Dated = { readonly effectiveFrom: string }

/** The first moment of a day or the instant itself, in ms since 1970. */
export function startsAt({ effectiveFrom }: Dated): number {
  const at = Date.parse(effectiveFrom)
  if (Number.isNaN(at)) throw new CatalogError(effectiveFrom, 'an ISO 8601 day or instant')
  return at
}

/**
 * What holds at a moment: the last that has begun, or the first of all where none has, since a
 * model is never without a price.
 */
export function inForce<Entry extends Dated>(entries: readonly Entry[], now: number): Entry {
  const entry = entries.findLast((candidate) => startsAt(candidate) <= now) ?? entries[0]
  if (entry === undefined) throw new CatalogError('no price', 'at least one')
  return entry
}

/** What held at any moment from `since` to `now`, the latest first; nothing of nothing. */
export function inForceSince<Entry extends Dated>(
  entries: readonly Entry[],
  { since, now }: { readonly since: number; readonly now: number },
): readonly Entry[] {
  if (entries.length === 0) return []
  const oldest = entries.indexOf(inForce(entries, Math.min(since, now)))
  const latest = entries.indexOf(inForce(entries, now))
  return entries.slice(oldest, latest + 1).reverse()
}

/** The next moment after `now` at which something begins. */
export function nextStart(entries: readonly Dated[], now: number): number | undefined {
  const later = entries.map(startsAt).filter((at) => at > now)
  return later.length === 0 ? undefined : Math.min(...later)
}

/** Catalog data that breaks the schema: a fault of the data, not of a request. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly code = 'invalid_catalog'
  constructor(value: string, expected: string) {
    super(`${JSON.stringify(value)} in the catalog: expected ${expected}`)
  }
}
