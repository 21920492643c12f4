import { type Catalog, type CatalogOverrides, createCatalog } from '@farebox/catalogs'
import {
  createRefresher,
  modelsDevFeed,
  openrouterFeed,
  type RefreshEvent,
} from '@farebox/catalogs/refresh'
import { followFiles } from '../operator-files/follow-files.ts'
import { isFunction, isWhole, refuseInvalid } from '../options/storefront-option-error.ts'
import { createCatalogEditions } from './catalog-editions.ts'
import { fetchJson } from './fetch-json.ts'
import { openPriceStore } from './price-store.ts'
import {
  type CatalogSettings,
  catalogFiles,
  readCatalog,
  type ValidCatalog,
} from './read-catalog.ts'

/** The settings that decide what the catalog holds, and whether its prices are refreshed. */
export type LiveCatalogSettings = CatalogSettings & {
  readonly CATALOG_REFRESH: 'on' | 'off'
  readonly CATALOG_REFRESH_MINUTES: number
  readonly CATALOG_REFRESH_MODELS_DEV_URL?: string | undefined
  readonly CATALOG_REFRESH_OPENROUTER_URL?: string | undefined
  /** Where the last good prices are kept across restarts; without it, in memory. */
  readonly DATA_DIR?: string | undefined
}

/** What happened to the prices, or to the operator's files. */
export type CatalogEvent =
  | RefreshEvent
  | { readonly type: 'files_loaded'; readonly catalog: Catalog }
  /** All mistakes, one sentence each; the models and prices are as before. */
  | { readonly type: 'files_refused'; readonly problems: readonly string[] }

export type LiveCatalogOptions = {
  readonly settings: LiveCatalogSettings
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onEvent: (event: CatalogEvent) => void
  /** How often the operator's files are checked, in milliseconds; 2,000 by default. */
  readonly filePollMs?: number
}

export type LiveCatalog = {
  /** The current catalog; the same object until a price changes. */
  current(): Catalog
  /** Reloads the operator's files now. Changed files are also reloaded automatically. */
  reload(): void
  /** The problems of the files when they were last read. The previous catalog stays in use. */
  problems(): readonly string[]
  /** Stops refreshing, and aborts a refresh in progress. */
  stop(): Promise<void>
}

/**
 * Opens the catalog of the settings, and follows its files. With `CATALOG_REFRESH=on`, prices are
 * refreshed in the background, at once and then at intervals. A file or price list that cannot be read
 * changes nothing.
 *
 * @throws {StorefrontOptionError} `invalid_option` for an option that cannot work.
 * @throws {CatalogSettingsError} `invalid_catalog` when a file or a default model cannot be used.
 */
export async function openCatalog(options: LiveCatalogOptions): Promise<LiveCatalog> {
  checkOptions(options)
  const { settings, now, onEvent, filePollMs = 2_000 } = options
  const read = readCatalog(settings, now())
  if (read.status === 'invalid') throw new CatalogSettingsError(read.problems)
  const prices = await openPrices(read, options)
  const editions = createCatalogEditions(now)
  const current = (): Catalog => editions.withEarlierPrices(prices.current())

  const { servers } = read
  let applied = JSON.stringify(read.overrides)

  function load(): readonly string[] {
    const next = readCatalog(settings, now())
    if (next.status === 'invalid') return next.problems
    if (next.servers !== servers) return [serversChanged]
    const fresh = JSON.stringify(next.overrides)
    if (fresh === applied) return []
    editions.retire(prices.current())
    prices.override(next.overrides)
    applied = fresh
    return []
  }

  const files = await followFiles({
    paths: catalogFiles(settings),
    everyMs: filePollMs,
    load,
    onLoad: (problems) => {
      if (problems.length === 0) onEvent({ type: 'files_loaded', catalog: current() })
      else onEvent({ type: 'files_refused', problems })
    },
  })
  return {
    current,
    reload: files.reload,
    problems: files.problems,
    stop: async () => {
      files.stop()
      await prices.stop()
    },
  }
}

function checkOptions(options: Partial<LiveCatalogOptions> | undefined): void {
  const { settings, now, onEvent, filePollMs = 1 } = options ?? {}
  const isRefreshed = settings?.CATALOG_REFRESH === 'on'
  const minutes = isRefreshed ? settings.CATALOG_REFRESH_MINUTES : 1
  refuseInvalid({
    settings: [
      typeof settings === 'object',
      'those of readSettings(storefrontSettings, process.env), or {}',
    ],
    'settings.CATALOG_REFRESH_MINUTES': [isWhole(minutes, 1), 'a whole number above 0'],
    now: [isFunction(now), 'a function that returns milliseconds since 1970: Date.now'],
    onEvent: [isFunction(onEvent), 'a function: catalogLog(logger)'],
    filePollMs: [isWhole(filePollMs, 1), 'a whole number of milliseconds above 0'],
  })
}

const serversChanged =
  'CUSTOM_PROVIDERS: the servers, their addresses or their keys have changed. Restart to use them, or change only models and prices.'

type LivePrices = {
  current(): Catalog
  override(overrides: CatalogOverrides): void
  stop(): Promise<void>
}

async function openPrices(read: ValidCatalog, options: LiveCatalogOptions): Promise<LivePrices> {
  const { settings, now, onEvent } = options
  const { data, overrides } = read
  if (settings.CATALOG_REFRESH !== 'on') {
    let { catalog } = read
    return {
      current: () => catalog.at(now()),
      override: (next) => {
        catalog = createCatalog({ ...data, overrides: next, now: now() })
      },
      stop: () => Promise.resolve(),
    }
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
    round = refresher.refresh()
  }, settings.CATALOG_REFRESH_MINUTES * 60_000)
  timer.unref()
  return {
    current: refresher.catalog,
    override: refresher.override,
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
