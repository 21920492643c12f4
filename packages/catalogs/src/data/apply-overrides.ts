import type { ChatPriceRecord, ChatRecord } from '../chat/chat-record.ts'
import { modelTraits } from '../chat/model-traits.ts'
import type { ImagePriceRecord, ImageRecord } from '../image/image-record.ts'
import type { CatalogData } from './catalog-data.ts'

/** Changes to one model; a price here replaces its history and announced prices. */
export type ChatChange = Partial<Omit<ChatRecord, 'id' | 'prices'>> & {
  readonly price?: ChatPriceRecord
  readonly markupBps?: number
}

/** Changes to one image model; a price here replaces its history. `markupBps` is in basis points. */
export type ImageChange = Partial<Omit<ImageRecord, 'id' | 'prices'>> & {
  readonly price?: ImagePriceRecord
  readonly markupBps?: number
}

/** The models that the operator adds, changes and hides, by id, and the margin on the others. */
export type CatalogOverrides = {
  /** The margin on every model without its own, in basis points. */
  readonly markupBps?: number
  readonly chat: {
    readonly add: readonly ChatRecord[]
    readonly change: Readonly<Record<string, ChatChange>>
    readonly hide: readonly string[]
  }
  readonly images: {
    readonly add: readonly ImageRecord[]
    readonly change: Readonly<Record<string, ImageChange>>
    readonly hide: readonly string[]
  }
}

/** The data with the operator's overrides. An added model replaces one with the same id. */
export function applyOverrides(data: CatalogData, overrides: CatalogOverrides): CatalogData {
  const { markupBps, chat, images } = overrides
  const before = new Map(data.chat.map((record) => [record.id, record]))
  return {
    chat: overridden<ChatPriceRecord, ChatRecord>(data.chat, { markupBps, ...chat }).map((record) =>
      described(record, before.get(record.id)),
    ),
    images: overridden<ImagePriceRecord, ImageRecord>(data.images, { markupBps, ...images }),
  }
}

/** A description that was not changed states the traits that were. */
function described(record: ChatRecord, before: ChatRecord = record): ChatRecord {
  const { description } = before
  if (record.description !== description) return record
  return { ...record, description: description.replace(modelTraits(before), modelTraits(record)) }
}

type Overridable<Price> = { readonly id: string; readonly prices: readonly Price[] }

type Change<Price, Entry> = Partial<Entry> & {
  readonly price?: Price
  readonly markupBps?: number
}

function overridden<Price extends object, Entry extends Overridable<Price>>(
  entries: readonly Entry[],
  changes: {
    readonly markupBps: number | undefined
    readonly add: readonly Entry[]
    readonly change: Readonly<Record<string, Change<Price, Entry>>>
    readonly hide: readonly string[]
  },
): readonly Entry[] {
  const gone = new Set([...changes.hide, ...changes.add.map((entry) => entry.id)])
  const kept = entries.filter((entry) => !gone.has(entry.id))
  const hidden = new Set(changes.hide)
  const added = changes.add.filter((entry) => !hidden.has(entry.id))
  return [...kept, ...added].map((entry) => {
    const own = Object.hasOwn(changes.change, entry.id) ? changes.change[entry.id] : undefined
    const { price, markupBps = changes.markupBps, ...rest } = own ?? {}
    const prices = price === undefined ? entry.prices : [price]
    return { ...entry, ...rest, prices: marked(prices, markupBps) }
  })
}

function marked<Price extends object>(
  prices: readonly Price[],
  markupBps: number | undefined,
): readonly Price[] {
  return markupBps === undefined ? prices : prices.map((price) => ({ ...price, markupBps }))
}
