import type { ChatPrice, ImagePrice } from '@farebox/pricing'
import type { ChatModel } from '../chat/chat-model.ts'
import type { ChatPriceRecord, ChatRecord } from '../chat/chat-record.ts'
import { parametersOf } from '../chat/parameter-profiles.ts'
import { applyOverrides, type CatalogOverrides } from '../data/apply-overrides.ts'
import { applyPriceUpdates, type PriceUpdate } from '../data/apply-price-updates.ts'
import type { CatalogData } from '../data/catalog-data.ts'
import type { ImageModel } from '../image/image-model.ts'
import type { ImagePriceRecord, ImageRecord } from '../image/image-record.ts'
import { readChatPrice, readImagePrice } from '../price/read-price.ts'
import { CatalogError, inForce, inForceSince, nextStart } from '../record/dated.ts'
import { fingerprint } from '../record/fingerprint.ts'
import { momentOf } from '../record/moment-of.ts'
import { releaseDates } from '../snapshot/release-dates.gen.ts'

/**
 * The models on sale at one moment, and their recent prices. Moments are a Date or ms since 1970; its
 * functions throw a RangeError for an invalid one.
 */
export type Catalog = {
  /** Changes whenever a current price or limit changes. */
  readonly version: string
  readonly chat: readonly ChatModel[]
  readonly images: readonly ImageModel[]
  findChatModel(id: string): ChatModel | undefined
  findImageModel(id: string): ImageModel | undefined
  /** All known prices of a chat model, past and announced, in the order in which they apply. */
  priceHistory(id: string): readonly DatedPrice[]
  /** The price of a chat model at a moment; the first known one before that. */
  priceAt(id: string, moment: Date | number): ChatPrice | undefined
  /** The prices of a chat model that were in force since then, the current one first. */
  recentPrices(id: string, since: Date | number): readonly ChatPrice[]
  /** The prices of an image model that were in force since then, the current one first. */
  recentImagePrices(id: string, since: Date | number): readonly ImagePrice[]
  /** The catalog at another moment; the same object if nothing changed. Cheap enough for each call. */
  at(now: Date | number): Catalog
}

/** A price, and the ISO 8601 date or time in UTC from which it applies. */
export type DatedPrice = { readonly effectiveFrom: string; readonly price: ChatPrice }

/** The data of a catalog, and the moment at which its prices apply. */
export type CatalogOptions = CatalogData & {
  /** The operator's own models and prices, which take precedence over everything else. */
  readonly overrides?: CatalogOverrides
  /** Newer prices read at run time, which take precedence over the data. */
  readonly updates?: readonly PriceUpdate[]
  readonly now: Date | number
}

/**
 * The catalog at `now`: the data, with newer prices, with the operator's overrides.
 *
 * @throws {CatalogError} `invalid_catalog` for a model without a price, or with an invalid date, and for
 * an option that is missing or unknown.
 * @throws {RangeError} for an invalid `now`.
 */
export function createCatalog(options: CatalogOptions): Catalog {
  // Plain JavaScript may pass nothing, or a misspelled name: the operator's prices would not apply.
  const given: Partial<CatalogOptions> = { ...options }
  const { chat, images, overrides, updates, now = Number.NaN, ...unknown } = given
  for (const name in unknown) throw new CatalogError(name, 'createCatalog has no such option')
  if (chat === undefined || images === undefined) {
    throw new CatalogError(undefined, 'pass chat and images, such as those of shippedData')
  }
  if (overrides !== undefined && 'ok' in overrides) {
    throw new CatalogError('overrides', 'pass those in the result of parseCatalogOverrides')
  }
  const current = applyPriceUpdates({ chat, images }, updates ?? [])
  const data = overrides ? applyOverrides(current, overrides) : current
  return openAt({ data, prices: readPrices(data) }, momentOf('now', now)).catalog
}

/** The data with every price parsed once, so that lookups are cheap. */
type ReadData = {
  readonly data: CatalogData
  readonly prices: {
    readonly chat: ReadonlyMap<ChatPriceRecord, ChatPrice>
    readonly images: ReadonlyMap<ImagePriceRecord, ImagePrice>
  }
}

function readPrices({ chat, images }: CatalogData): ReadData['prices'] {
  return {
    chat: new Map(chat.flatMap(({ prices }) => prices.map((at) => [at, readChatPrice(at)]))),
    images: new Map(images.flatMap(({ prices }) => prices.map((at) => [at, readImagePrice(at)]))),
  }
}

/** A catalog, and whether it is still current at another moment. */
type Opened = {
  readonly catalog: Catalog
  readonly holdsAt: (moment: number) => boolean
}

function openAt(read: ReadData, now: number): Opened {
  const { data, prices } = read
  const chat = data.chat.map((record) => chatModelAt(record, now))
  const images = data.images.map((record) => imageModelAt(record, now))
  const chatById = new Map(chat.map((model) => [model.id, model]))
  const imagesById = new Map(images.map((model) => [model.id, model]))
  const chatHistory = new Map(data.chat.map((record) => [record.id, record.prices]))
  const imageHistory = new Map(data.images.map((record) => [record.id, record.prices]))
  const historyOf = (id: string): readonly DatedPrice[] =>
    (chatHistory.get(id) ?? []).map((record) => ({
      effectiveFrom: record.effectiveFrom,
      price: prices.chat.get(record) ?? readChatPrice(record),
    }))
  const until = nextStart([...chatHistory.values(), ...imageHistory.values()].flat(), now)
  const holdsAt = (moment: number): boolean =>
    moment >= now && (until === undefined || moment < until)
  let other: Opened | undefined
  const catalog: Catalog = {
    version: versionOf([...chat, ...images]),
    chat,
    images,
    findChatModel: (id) => chatById.get(id),
    findImageModel: (id) => imagesById.get(id),
    priceHistory: historyOf,
    priceAt: (id, moment) => {
      const history = historyOf(id)
      return history.length === 0 ? undefined : inForce(history, momentOf('moment', moment)).price
    },
    recentPrices: (id, since) =>
      inForceSince(chatHistory.get(id) ?? [], { since: momentOf('since', since), now }).flatMap(
        (record) => prices.chat.get(record) ?? [],
      ),
    recentImagePrices: (id, since) =>
      inForceSince(imageHistory.get(id) ?? [], { since: momentOf('since', since), now }).flatMap(
        (record) => prices.images.get(record) ?? [],
      ),
    at: (date) => {
      const moment = momentOf('now', date)
      if (holdsAt(moment)) return catalog
      if (other === undefined || !other.holdsAt(moment)) other = openAt(read, moment)
      return other.catalog
    },
  }
  return { catalog, holdsAt }
}

function chatModelAt({ prices, accepts, ...record }: ChatRecord, now: number): ChatModel {
  return {
    ...record,
    ...releasedOf(record.id),
    parameters: parametersOf(accepts).filter(
      (name) => name !== 'reasoning_effort' || record.reasoning !== 'none',
    ),
    price: readChatPrice(inForce(prices, now)),
  }
}

function releasedOf(id: string): Pick<ChatModel, 'released'> {
  const released = Object.hasOwn(releaseDates, id) ? releaseDates[id] : undefined
  return released === undefined ? {} : { released }
}

function imageModelAt({ prices, ...record }: ImageRecord, now: number): ImageModel {
  return { ...record, price: readImagePrice(inForce(prices, now)) }
}

function versionOf(models: readonly (ChatModel | ImageModel)[]): string {
  const digits = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? value.toString() : value
  return fingerprint(JSON.stringify(models, digits))
}
