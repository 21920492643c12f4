import type { Catalog } from '@farebox/catalogs'
import type { RequestHandler } from 'express'
import type { Storefront } from '../quote/storefront.ts'

/**
 * Answers with a list of the catalog. The text is made once for each catalog: it is some 100 KB,
 * and what is sold changes with the catalog alone.
 */
export function listing(storefront: Storefront, list: (of: Storefront) => object): RequestHandler {
  let made: { readonly of: Catalog; readonly body: Buffer } | undefined
  return function handleListing(_request, response) {
    const of = storefront.catalog()
    if (made?.of !== of) made = { of, body: Buffer.from(JSON.stringify(list(storefront))) }
    response.type('json').send(made.body)
  }
}
