import { createHash } from 'node:crypto'
import type { CatalogData } from '../src/data/catalog-data.ts'

/** A digest of every price in the data, by kind, model and start date. */
export function digestsOf({ chat, images }: CatalogData): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...chat.flatMap((record) => pricesOf('chat', record)),
    ...images.flatMap((record) => pricesOf('image', record)),
  ])
}

function pricesOf(
  kind: string,
  record: { readonly id: string; readonly prices: readonly { readonly effectiveFrom: string }[] },
): readonly (readonly [string, string])[] {
  return record.prices.map((price) => [
    `${kind} ${record.id} ${price.effectiveFrom}`,
    createHash('sha256').update(JSON.stringify(price)).digest('hex'),
  ])
}
