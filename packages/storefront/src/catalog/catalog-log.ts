import type { CatalogEvent } from './open-catalog.ts'

/** Receives log lines; a pino logger fits. */
export type CatalogLogger = {
  info(line: object): void
  warn(line: object): void
}

/**
 * Logs what changed the catalog: refreshed prices and the operator's files, including rejected
 * ones.
 */
export function catalogLog(logger: CatalogLogger): (event: CatalogEvent) => void {
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
        return
      case 'files_loaded': {
        const { version, chat, images } = event.catalog
        const models = chat.length + images.length
        logger.info({ event: 'operator_files_loaded', catalog: version, models })
        return
      }
      case 'files_refused': {
        const reason = `${event.problems.join(' ')} What was sold before is still sold.`
        logger.warn({ event: 'operator_files_refused', reason })
      }
    }
  }
}
