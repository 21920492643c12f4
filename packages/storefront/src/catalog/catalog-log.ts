import type { RefreshEvent } from '@farebox/catalogs/refresh'

/** Receives log lines; a pino logger fits. */
export type CatalogLogger = {
  info(line: object): void
  warn(line: object): void
}

/** Logs what a refresh did: changed prices, implausible ones, and lists that could not be read. */
export function catalogLog(logger: CatalogLogger): (event: RefreshEvent) => void {
  return (event) => {
    switch (event.type) {
      case 'price_changed': {
        const { id: model, price } = event.update
        const { rates, effectiveFrom } = price
        logger.info({ event: 'catalog_price_changed', model, effectiveFrom, rates })
        return
      }
      case 'price_refused':
        logger.warn({ event: 'catalog_price_refused', model: event.id, reason: event.reason })
        return
      case 'feed_failed':
        logger.warn({ event: 'catalog_feed_failed', feed: event.feed, err: event.error })
        return
      case 'store_failed':
        logger.warn({ event: 'catalog_store_failed', err: event.error })
    }
  }
}
