export type { ChatPrice, PeakHours, PeakWindow, RateTier, TokenRates } from './chat/chat-price.ts'
export type { ChatQuote } from './chat/chat-quote.ts'
export { type HighestRates, highestRates } from './chat/highest-rates.ts'
export { type CostLine, itemizeUsage } from './chat/itemize-usage.ts'
export { costByRates, priceUsage } from './chat/price-usage.ts'
export { type ChatQuoteRequest, quoteChat } from './chat/quote-chat.ts'
export { readUsageBody } from './chat/read-usage-body.ts'
export type { Usage } from './chat/usage.ts'
export { type CacheLifetime, withCacheWrites } from './chat/with-cache-writes.ts'
export { explainQuote, type QuoteLine } from './explain-quote.ts'
export type { ImageSpecification } from './image/image-cost.ts'
export type {
  ImagePrice,
  ImagePricePoint,
  ImagePriceRule,
  ImageQuote,
} from './image/image-price.ts'
export { costOfImagesByRule, type ImagesMade, priceImages } from './image/price-images.ts'
export { type ImageQuoteRequest, quoteImage } from './image/quote-image.ts'
export { blendedRate, listedImagePrice, listedRate } from './listed-rate.ts'
export { PricingError } from './terms/quantity.ts'
export type { Terms } from './terms/terms.ts'
export { termsOf } from './terms/terms-of.ts'
