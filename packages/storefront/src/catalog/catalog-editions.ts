import type { Catalog } from '@farebox/catalogs'

/** The replaced catalogs, whose prices are still honored for quotes from before the replacement. */
export type CatalogEditions = {
  /** Keeps a catalog that has just been replaced. */
  retire(catalog: Catalog): void
  /** The catalog with the recent prices of those it replaced; the same object until one changes. */
  withEarlierPrices(catalog: Catalog): Catalog
}

/** In milliseconds: longer than any quote is honored. */
const keptMs = 600_000

type Edition = { readonly catalog: Catalog; readonly until: number }

/** A catalog with its editions, and both as one catalog. */
type Joined = {
  readonly catalog: Catalog
  readonly editions: readonly Edition[]
  readonly joined: Catalog
}

export function createCatalogEditions(now: () => number): CatalogEditions {
  let editions: readonly Edition[] = []
  let last: Joined | undefined

  return {
    retire: (catalog) => {
      editions = [...editions, { catalog, until: now() }]
    },
    withEarlierPrices: (catalog) => {
      const oldest = editions[0]
      if (oldest !== undefined && oldest.until <= now() - keptMs) {
        editions = editions.filter(({ until }) => until > now() - keptMs)
      }
      if (editions.length === 0) return catalog
      if (last?.catalog !== catalog || last.editions !== editions) {
        last = { catalog, editions, joined: join(catalog, editions) }
      }
      return last.joined
    },
  }
}

function join(catalog: Catalog, editions: readonly Edition[]): Catalog {
  const inForceSince = (since: Date | number): readonly Catalog[] => [
    catalog,
    ...editions.filter(({ until }) => until > Number(since)).map((edition) => edition.catalog),
  ]
  return {
    ...catalog,
    recentPrices: (id, since) =>
      distinct(inForceSince(since).flatMap((one) => one.recentPrices(id, since))),
    recentImagePrices: (id, since) =>
      distinct(inForceSince(since).flatMap((one) => one.recentImagePrices(id, since))),
    at: (moment) => join(catalog.at(moment), editions),
  }
}

function distinct<Price extends { readonly version: string }>(
  prices: readonly Price[],
): readonly Price[] {
  return [...new Map(prices.map((price) => [price.version, price])).values()]
}
