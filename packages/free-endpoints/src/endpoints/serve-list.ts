import type { Catalog } from '@farebox/catalogs'
import type { Storefront } from '@farebox/storefront'
import type { RequestHandler } from 'express'

/**
 * Sends a list of the catalog. The body is serialized once per catalog: it is about 100 KB, and what
 * is sold changes only with the catalog.
 */
export function serveList(
  storefront: Storefront,
  list: (of: Storefront) => object,
): RequestHandler {
  let cached: { readonly of: Catalog; readonly body: Buffer } | undefined
  return function handleList(_request, response) {
    const of = storefront.catalog()
    if (cached?.of !== of) cached = { of, body: Buffer.from(JSON.stringify(list(storefront))) }
    response.type('json').send(cached.body)
  }
}
