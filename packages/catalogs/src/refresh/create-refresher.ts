import * as z from 'zod'
import { type Catalog, createCatalog } from '../catalog/catalog.ts'
import { chatPriceSchema } from '../chat/chat-record-schema.ts'
import type { CatalogOverrides } from '../data/apply-overrides.ts'
import { applyPriceUpdates, type PriceUpdate } from '../data/apply-price-updates.ts'
import type { CatalogData } from '../data/catalog-data.ts'
import { higherRates } from '../price/higher-rates.ts'
import { CatalogError, inForce, startsAt } from '../record/dated.ts'
import { modelId } from '../record/record-fields.ts'
import type { FetchJson, PriceFeed, PriceList } from './feed.ts'
import { isSame, judgePrice } from './judge-price.ts'
import { modelsDevFeed } from './models-dev-feed.ts'
import { openrouterFeed } from './openrouter-feed.ts'

/** Keeps the last good prices across restarts: one text, replaced as a whole. */
export type PriceStore = {
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
}

/** What happened to a price or to its source. */
export type RefreshEvent =
  | { readonly type: 'price_changed'; readonly update: PriceUpdate }
  | { readonly type: 'price_refused'; readonly id: string; readonly reason: string }
  | { readonly type: 'feed_failed'; readonly feed: string; readonly error: unknown }
  | { readonly type: 'store_failed'; readonly error: unknown }

/** What a refresher reads, and where it keeps what it read. */
export type RefresherOptions = {
  readonly data: CatalogData
  readonly overrides?: CatalogOverrides
  readonly fetchJson: FetchJson
  readonly store: PriceStore
  /** The clock, in ms since 1970. */
  readonly now: () => number
  readonly feeds?: readonly PriceFeed[]
  /** How many ms a price decrease is delayed, a day by default, because the upstream may still charge the old price. */
  readonly graceMs?: number
  /** How many ms an outdated price is kept, a day by default, for requests that were quoted with it. */
  readonly rememberMs?: number
  readonly onEvent?: (event: RefreshEvent) => void
}

/** A catalog whose prices are read from public lists at run time. */
export type Refresher = {
  /** The current catalog: shipped data, last good prices, overrides. */
  catalog(): Catalog
  /** Replaces the operator's overrides; they apply at once. */
  override(overrides: CatalogOverrides): void
  /**
   * Reads the feeds once, after a round in progress. Never rejects: failures are reported, and the last
   * good prices stay.
   */
  refresh(): Promise<void>
}

const hourMs = 3_600_000
const storedSchema = z.object({
  format: z.literal(1),
  updates: z.array(z.object({ id: modelId, price: chatPriceSchema })),
})

/**
 * Keeps a catalog's chat prices current from public lists. The caller decides when: it calls
 * `refresh` at start-up and then, for example, every hour.
 *
 * @throws {CatalogError} `invalid_catalog` for an unknown option.
 */
export async function createRefresher(options: RefresherOptions): Promise<Refresher> {
  const {
    data,
    overrides: given,
    fetchJson,
    store,
    now,
    feeds = [openrouterFeed, modelsDevFeed],
    graceMs = 24 * hourMs,
    rememberMs = 24 * hourMs,
    onEvent: observer,
    ...unknown
  } = options
  // Plain JavaScript may misspell a name: a price decrease would not be delayed as long as meant.
  for (const name in unknown) throw new CatalogError(name, 'createRefresher has no such option')
  const onEvent = guarded(observer)
  let overrides = given
  let updates = await stored(store, onEvent)
  let catalog = build()
  let round = Promise.resolve()

  function build(): Catalog {
    return createCatalog({ ...data, updates, ...(overrides && { overrides }), now: now() })
  }

  async function readOnce(): Promise<void> {
    const lists = await readFeeds(feeds, fetchJson, onEvent)
    const at = now()
    const fresh = newUpdates({
      data: applyPriceUpdates(data, updates),
      lists,
      at,
      graceMs,
      onEvent,
    })
    if (fresh.length === 0) return
    updates = remembered([...withoutPending(updates, fresh, at), ...fresh], at - rememberMs)
    catalog = build()
    for (const update of fresh) onEvent({ type: 'price_changed', update })
    await save(store, updates, onEvent)
  }

  return {
    catalog: () => {
      catalog = catalog.at(now())
      return catalog
    },
    override: (next) => {
      overrides = next
      catalog = build()
    },
    refresh: () => {
      // Two rounds at once could save the older prices last.
      round = round.then(readOnce, readOnce)
      return round
    },
  }
}

/** An observer that throws does not affect prices. */
function guarded(
  observe: ((event: RefreshEvent) => void) | undefined,
): (event: RefreshEvent) => void {
  return (event) => {
    try {
      observe?.(event)
    } catch {
      // An observer has to report its own errors.
    }
  }
}

async function stored(
  store: PriceStore,
  onEvent: (event: RefreshEvent) => void,
): Promise<readonly PriceUpdate[]> {
  try {
    const text = await store.load()
    return text === undefined ? [] : storedSchema.parse(JSON.parse(text)).updates
  } catch (error) {
    onEvent({ type: 'store_failed', error })
    return []
  }
}

async function save(
  store: PriceStore,
  updates: readonly PriceUpdate[],
  onEvent: (event: RefreshEvent) => void,
): Promise<void> {
  try {
    await store.save(JSON.stringify({ format: 1, updates }))
  } catch (error) {
    onEvent({ type: 'store_failed', error })
  }
}

async function readFeeds(
  feeds: readonly PriceFeed[],
  fetchJson: FetchJson,
  onEvent: (event: RefreshEvent) => void,
): Promise<readonly PriceList[]> {
  const lists = await Promise.all(
    feeds.map(async (feed) => {
      try {
        return [feed.read(await fetchJson(feed.url))]
      } catch (error) {
        onEvent({ type: 'feed_failed', feed: feed.name, error })
        return []
      }
    }),
  )
  return lists.flat()
}

type Round = {
  readonly data: CatalogData
  readonly lists: readonly PriceList[]
  readonly at: number
  readonly graceMs: number
  readonly onEvent: (event: RefreshEvent) => void
}

/** An increase applies at once, a decrease after the grace period. */
function newUpdates({ data, lists, at, graceMs, onEvent }: Round): readonly PriceUpdate[] {
  return data.chat.flatMap((record) => {
    const verdict = judgePrice(record, lists, at)
    if (verdict.kind === 'refused') {
      onEvent({ type: 'price_refused', id: record.id, reason: verdict.reason })
    }
    if (verdict.kind !== 'changed') return []
    const old = inForce(record.prices, at)
    const { price } = verdict
    const raised = { ...price, rates: higherRates(price.rates, old.rates) }
    const rise = { ...raised, effectiveFrom: new Date(at).toISOString() }
    const fall = { ...price, effectiveFrom: new Date(at + graceMs).toISOString() }
    const falls = !isSame(raised.rates, price.rates)
    return (falls ? [rise, fall] : [rise]).map((update) => ({ id: record.id, price: update }))
  })
}

/** A decrease that does not apply yet is replaced by a newer price. */
function withoutPending(
  updates: readonly PriceUpdate[],
  fresh: readonly PriceUpdate[],
  at: number,
): readonly PriceUpdate[] {
  const changed = new Set(fresh.map((update) => update.id))
  return updates.filter(({ id, price }) => !changed.has(id) || startsAt(price) <= at)
}

/** Drops prices that were not in force since then; each model keeps one price from before. */
function remembered(updates: readonly PriceUpdate[], since: number): readonly PriceUpdate[] {
  return updates.filter(
    ({ id, price }) =>
      startsAt(price) > since ||
      !updates.some(
        (other) =>
          other.id === id &&
          startsAt(other.price) <= since &&
          startsAt(other.price) > startsAt(price),
      ),
  )
}
