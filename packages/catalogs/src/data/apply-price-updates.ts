import type { ChatPriceRecord, ChatRecord } from '../chat/chat-record.ts'
import { startsAt } from '../record/dated.ts'
import type { CatalogData } from './catalog-data.ts'

/** A newer price of a chat model that is already in the catalog. */
export type PriceUpdate = {
  readonly id: string
  readonly price: ChatPriceRecord
}

/** The data with newer prices added to the history of its models. */
export function applyPriceUpdates(data: CatalogData, updates: readonly PriceUpdate[]): CatalogData {
  if (updates.length === 0) return data
  const known = new Set(updates.map((update) => update.id))
  return {
    ...data,
    chat: data.chat.map((record) => (known.has(record.id) ? updated(record, updates) : record)),
  }
}

function updated(record: ChatRecord, updates: readonly PriceUpdate[]): ChatRecord {
  const newer = updates.filter((update) => update.id === record.id).map(({ price }) => price)
  const prices = [...record.prices, ...newer]
  return { ...record, prices: prices.sort((a, b) => startsAt(a) - startsAt(b)) }
}
