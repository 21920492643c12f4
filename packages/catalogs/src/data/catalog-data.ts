import type { ChatRecord } from '../chat/chat-record.ts'
import type { ImageRecord } from '../image/image-record.ts'

/** Everything that a catalog is made from. */
export type CatalogData = {
  readonly chat: readonly ChatRecord[]
  readonly images: readonly ImageRecord[]
}
