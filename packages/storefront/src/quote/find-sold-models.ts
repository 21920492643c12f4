import type { ChatModel } from '@farebox/catalogs'
import type { Storefront } from './storefront.ts'

/** The chat models sold here that a name may mean: one, several when it is ambiguous, or none. */
export function findSoldModels(name: string, storefront: Storefront): readonly ChatModel[] {
  const catalog = storefront.catalog()
  const exact = catalog.findChatModel(name)
  if (exact !== undefined) return storefront.isSold(exact) ? [exact] : []
  const asked = name.toLowerCase().replace(/^models\//, '')
  const undated = asked.replace(/-(\d{4}-\d{2}-\d{2}|20\d{6})$/, '')
  const sold = catalog.chat.filter(storefront.isSold)
  for (const wanted of new Set([asked, undated])) {
    for (const namesOf of [fullNames, shortNames, providerNames]) {
      const found = sold.filter((model) => namesOf(model).includes(wanted))
      if (found.length > 0) return found
    }
  }
  return []
}

function fullNames({ id }: ChatModel): readonly string[] {
  return [id.toLowerCase()]
}

/** The id without its first part, which names the maker or the host. */
function shortNames({ id }: ChatModel): readonly string[] {
  return [id.slice(id.indexOf('/') + 1).toLowerCase()]
}

/** What providers call the model, with and without the provider's own name before it. */
function providerNames({ routes }: ChatModel): readonly string[] {
  return routes.flatMap(({ provider, model }) => {
    const upstream = model.toLowerCase()
    return [upstream, `${provider}/${upstream}`]
  })
}
