/** Anything that applies from a date on. */
export type Dated = { readonly effectiveFrom: string }

/** The start of a date, or the time itself, in ms since 1970. */
export function startsAt({ effectiveFrom }: Dated): number {
  const at = Date.parse(effectiveFrom)
  if (Number.isNaN(at))
    throw new CatalogError(effectiveFrom, 'use an ISO 8601 date or time, such as 2027-01-01')
  return at
}

/**
 * The entry that applies at a moment: the latest that has started, or the first if none has, because
 * a model always has a price.
 */
export function inForce<Entry extends Dated>(entries: readonly Entry[], now: number): Entry {
  const entry = entries.findLast((candidate) => startsAt(candidate) <= now) ?? entries[0]
  if (entry === undefined) throw new CatalogError('[]', 'add at least one price')
  return entry
}

/** The entries that applied at any moment from `since` to `now`, the latest first. */
export function inForceSince<Entry extends Dated>(
  entries: readonly Entry[],
  { since, now }: { readonly since: number; readonly now: number },
): readonly Entry[] {
  if (entries.length === 0) return []
  const oldest = entries.indexOf(inForce(entries, Math.min(since, now)))
  const latest = entries.indexOf(inForce(entries, now))
  return entries.slice(oldest, latest + 1).reverse()
}

/** The next moment after `now` at which an entry starts to apply. */
export function nextStart(entries: readonly Dated[], now: number): number | undefined {
  const later = entries.map(startsAt).filter((at) => at > now)
  return later.length === 0 ? undefined : Math.min(...later)
}

/** Catalog data does not match the schema: a fault of the data, not of a request. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly code = 'invalid_catalog'
  constructor(value: string | undefined, fix: string) {
    super(`${JSON.stringify(value)} is not valid in a catalog: ${fix}`)
  }
}
