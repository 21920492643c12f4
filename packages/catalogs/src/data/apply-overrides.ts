import type { ChatPriceRecord, ChatRecord } from '../chat/chat-record.ts'
import type { ImagePriceRecord, ImageRecord } from '../image/image-record.ts'
import type { CatalogData } from './catalog-data.ts'

/** Changes to one model; a price here replaces its history and announced prices. */
export type ChatChange = Partial<Omit<ChatRecord, 'id' | 'prices'>> & {
  readonly price?: ChatPriceRecord
}

export type ImageChange = Partial<Omit<ImageRecord, 'id' | 'prices'>> & {
  readonly price?: ImagePriceRecord
}

/** The models that the operator adds, changes and hides, by id. */
export type CatalogOverrides = {
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
  return {
    chat: overridden<ChatPriceRecord, ChatRecord>(data.chat, overrides.chat),
    images: overridden<ImagePriceRecord, ImageRecord>(data.images, overrides.images),
  }
}

type Overridable<Price> = { readonly id: string; readonly prices: readonly Price[] }

function overridden<Price, Entry extends Overridable<Price>>(
  entries: readonly Entry[],
  changes: {
    readonly add: readonly Entry[]
    readonly change: Readonly<Record<string, Partial<Entry> & { readonly price?: Price }>>
    readonly hide: readonly string[]
  },
): readonly Entry[] {
  const gone = new Set([...changes.hide, ...changes.add.map((entry) => entry.id)])
  const kept = entries.filter((entry) => !gone.has(entry.id))
  const hidden = new Set(changes.hide)
  const added = changes.add.filter((entry) => !hidden.has(entry.id))
  return [...kept, ...added].map((entry) => {
    if (!Object.hasOwn(changes.change, entry.id)) return entry
    const { price, ...rest } = changes.change[entry.id] ?? {}
    return { ...entry, ...rest, ...(price !== undefined && { prices: [price] }) }
  })
}
