import type { ChatPrice, ImagePrice } from '@farebox/pricing'
import { applyOverrides, type CatalogOverrides } from './apply-overrides.ts'
import { applyPriceUpdates, type PriceUpdate } from './apply-price-updates.ts'
import type { ChatModel, ChatParameter, UpstreamRoute } from './chat-model.ts'
import type { ChatRecord } from './chat-record.ts'
import { type Dated, inForce, inForceSince, nextStart } from './dated.ts'
import { fingerprint } from './fingerprint.ts'
import type { ImageModel } from './image-model.ts'
import type { ImageRecord } from './image-record.ts'
import { lackedBy, parametersOf } from './parameter-profiles.ts'
import { readChatPrice, readImagePrice } from './read-price.ts'

/** What can be bought at one moment, and what it cost shortly before. */
export type Catalog = {
  /** Changes with every price and limit in force. */
  readonly version: string
  readonly chat: readonly ChatModel[]
  readonly images: readonly ImageModel[]
  findChatModel(id: string): ChatModel | undefined
  findImageModel(id: string): ImageModel | undefined
  /** The prices of a chat model in force at any moment since, the current one first. */
  recentPrices(id: string, since: Date | number): readonly ChatPrice[]
  /** The prices of an image model in force at any moment since, the current one first. */
  recentImagePrices(id: string, since: Date | number): readonly ImagePrice[]
  /** The same catalog at another moment; itself while nothing has changed. Cheap enough per call. */
  at(now: Date | number): Catalog
}

export type CatalogData = {
  readonly chat: readonly ChatRecord[]
  readonly images: readonly ImageRecord[]
}

export type CatalogOptions = CatalogData & {
  /** The operator's own models and prices: outrank everything. */
  readonly overrides?: CatalogOverrides
  /** Newer prices read at run time: outrank the data. */
  readonly updates?: readonly PriceUpdate[]
  readonly now: Date | number
}

/**
 * The catalog as it stands at `now`: the data, newer prices, then the operator's overrides.
 *
 * @throws {CatalogError} `invalid_catalog` for data that breaks the schema.
 */
export function createCatalog({ chat, images, overrides, updates, now }: CatalogOptions): Catalog {
  const current = applyPriceUpdates({ chat, images }, updates ?? [])
  return catalogAt(overrides ? applyOverrides(current, overrides) : current, Number(now))
}

function catalogAt(data: CatalogData, now: number): Catalog {
  const chat = data.chat.map((record) => chatModelAt(record, now))
  const images = data.images.map((record) => imageModelAt(record, now))
  const chatById = new Map(chat.map((model) => [model.id, model]))
  const imagesById = new Map(images.map((model) => [model.id, model]))
  const chatRecords = new Map(data.chat.map((record) => [record.id, record]))
  const imageRecords = new Map(data.images.map((record) => [record.id, record]))
  const until = nextStart(
    [...data.chat, ...data.images].flatMap((record) => [...record.prices]),
    now,
  )
  const recent = <Price extends Dated>(
    prices: readonly Price[] | undefined,
    since: Date | number,
  ): readonly Price[] => (prices ? inForceSince(prices, Number(since), now) : [])
  const catalog: Catalog = {
    version: versionOf([...chat, ...images]),
    chat,
    images,
    findChatModel: (id) => chatById.get(id),
    findImageModel: (id) => imagesById.get(id),
    recentPrices: (id, since) => recent(chatRecords.get(id)?.prices, since).map(readChatPrice),
    recentImagePrices: (id, since) =>
      recent(imageRecords.get(id)?.prices, since).map(readImagePrice),
    at: (later) =>
      Number(later) >= now && (until === undefined || Number(later) < until)
        ? catalog
        : catalogAt(data, Number(later)),
  }
  return catalog
}

function chatModelAt({ prices, accepts, routes, ...record }: ChatRecord, now: number): ChatModel {
  const wanted = parametersOf(accepts)
  const ways = routes.map((route) => withLacks(route, wanted))
  return {
    ...record,
    parameters: wanted.filter(
      (name) => ways.length === 0 || ways.some((way) => !way.lacks?.includes(name)),
    ),
    routes: ways,
    price: readChatPrice(inForce(prices, now)),
  }
}

function withLacks(
  route: Pick<UpstreamRoute, 'provider' | 'model'>,
  wanted: readonly ChatParameter[],
): UpstreamRoute {
  const lacks = lackedBy(route.provider).filter((name) => wanted.includes(name))
  return lacks.length === 0 ? route : { ...route, lacks }
}

function imageModelAt({ prices, ...record }: ImageRecord, now: number): ImageModel {
  return { ...record, price: readImagePrice(inForce(prices, now)) }
}

function versionOf(models: readonly (ChatModel | ImageModel)[]): string {
  const digits = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? value.toString() : value
  return fingerprint(JSON.stringify(models, digits))
}
