import { type ChatModel, chatModelsNamed } from '@farebox/catalogs'
import type { Storefront } from './storefront.ts'

/** The chat models sold here that a name may mean: one, several when it is ambiguous, or none. */
export function findSoldModels(name: string, storefront: Storefront): readonly ChatModel[] {
  const catalog = storefront.catalog()
  const exact = catalog.findChatModel(name)
  if (exact !== undefined) return storefront.isSold(exact) ? [exact] : []
  return chatModelsNamed(name, catalog.chat.filter(storefront.isSold))
}
