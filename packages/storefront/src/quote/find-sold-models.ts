import { type ChatModel, type ImageModel, modelsNamed } from '@farebox/catalogs'
import type { Storefront } from './storefront.ts'

/** The chat models sold here that a name may mean: one, several when it is ambiguous, or none. */
export function findSoldModels(name: string, storefront: Storefront): readonly ChatModel[] {
  const catalog = storefront.catalog()
  const exact = catalog.findChatModel(name)
  return soldModels({ name, exact, all: catalog.chat }, storefront)
}

/** The image models sold here that a name may mean, by the same rules. */
export function findSoldImageModels(name: string, storefront: Storefront): readonly ImageModel[] {
  const catalog = storefront.catalog()
  const exact = catalog.findImageModel(name)
  return soldModels({ name, exact, all: catalog.images }, storefront)
}

/** An id that is not sold means no other model. */
function soldModels<Model extends ChatModel | ImageModel>(
  { name, exact, all }: { name: string; exact: Model | undefined; all: readonly Model[] },
  { isSold }: Storefront,
): readonly Model[] {
  if (exact !== undefined) return isSold(exact) ? [exact] : []
  return modelsNamed(name, all.filter(isSold))
}
