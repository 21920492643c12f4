import type { Catalog } from '@farebox/catalogs'
import {
  createRefresher,
  modelsDevFeed,
  openrouterFeed,
  type RefreshEvent,
} from '@farebox/catalogs/refresh'
import { fetchJson } from './fetch-json.ts'
import { openPriceStore } from './price-store.ts'
import { type CatalogSettings, readCatalog } from './read-catalog.ts'

/** The settings that decide what the catalog holds, and whether its prices are refreshed. */
export type LiveCatalogSettings = CatalogSettings & {
  readonly CATALOG_REFRESH: 'on' | 'off'
  readonly CATALOG_REFRESH_MINUTES: number
  readonly CATALOG_REFRESH_MODELS_DEV_URL?: string | undefined
  readonly CATALOG_REFRESH_OPENROUTER_URL?: string | undefined
  /** Where the last good prices are kept across restarts; without it, in memory. */
  readonly DATA_DIR?: string | undefined
}

export type LiveCatalogOptions = {
  readonly settings: LiveCatalogSettings
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onEvent: (event: RefreshEvent) => void
}

export type LiveCatalog = {
  /** The current catalog; the same object until a price changes. */
  current(): Catalog
  /** Stops refreshing, and aborts a refresh in progress. */
  stop(): Promise<void>
}

/**
 * Opens the catalog of the settings. With `CATALOG_REFRESH=on`, prices are refreshed in the background,
 * at once and then at intervals. A price list that cannot be read changes nothing.
 *
 * @throws {CatalogSettingsError} `invalid_catalog` when a file or a default model cannot be used.
 */
export async function openCatalog(options: LiveCatalogOptions): Promise<LiveCatalog> {
  const { settings, now, onEvent } = options
  const read = readCatalog(settings, now())
  if (read.status === 'invalid') throw new CatalogSettingsError(read.problems)
  const { catalog, data, overrides } = read
  if (settings.CATALOG_REFRESH === 'off') {
    return { current: () => catalog.at(now()), stop: () => Promise.resolve() }
  }
  const stopping = new AbortController()
  const refresher = await createRefresher({
    data,
    overrides,
    fetchJson: (url) => fetchJson(url, stopping.signal),
    store: openPriceStore(settings.DATA_DIR),
    now,
    feeds: [
      { ...openrouterFeed, url: settings.CATALOG_REFRESH_OPENROUTER_URL ?? openrouterFeed.url },
      { ...modelsDevFeed, url: settings.CATALOG_REFRESH_MODELS_DEV_URL ?? modelsDevFeed.url },
    ],
    onEvent: (event) => {
      if (!stopping.signal.aborted) onEvent(event)
    },
  })
  let round = refresher.refresh()
  const timer = setInterval(() => {
    round = round.then(() => refresher.refresh())
  }, settings.CATALOG_REFRESH_MINUTES * 60_000)
  timer.unref()
  return {
    current: refresher.catalog,
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await round
    },
  }
}

/** An operator's file or default model is invalid; the message names each. */
export class CatalogSettingsError extends Error {
  override readonly name = 'CatalogSettingsError'
  readonly code = 'invalid_catalog'
  constructor(problems: readonly string[]) {
    super(problems.join(' '))
  }
}
