import type { ChatRecord } from '../chat/chat-record.ts'
import type { ImageRecord } from '../image/image-record.ts'

/** The data of a catalog. */
export type CatalogData = {
  readonly chat: readonly ChatRecord[]
  readonly images: readonly ImageRecord[]
}
