import { inRouteOrder } from '../chat/provider-name.ts'
import type { CatalogData } from '../data/catalog-data.ts'
import { chatRecords } from '../snapshot/chat-records.gen.ts'
import { imageRecords } from '../snapshot/image-records.gen.ts'
import { type Catalog, createCatalog } from './catalog.ts'

/** The data of the shipped snapshot, for `createCatalog` with overrides or newer prices. */
export const shippedData: CatalogData = {
  chat: /* @__PURE__ */ chatRecords.map((record) => ({
    ...record,
    routes: inRouteOrder(record.routes),
  })),
  images: imageRecords,
}

/** The shipped snapshot at a given moment; announced price changes apply from their date. */
export function shippedCatalog(now: Date | number): Catalog {
  return createCatalog({ ...shippedData, now })
}
