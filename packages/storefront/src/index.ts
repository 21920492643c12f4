export { type CatalogLogger, catalogLog } from './catalog/catalog-log.ts'
export {
  type CatalogEvent,
  CatalogSettingsError,
  type LiveCatalog,
  type LiveCatalogOptions,
  type LiveCatalogSettings,
  openCatalog,
} from './catalog/open-catalog.ts'
export { type CustomServers, readCustomServers } from './catalog/read-custom-servers.ts'
export { type FollowedFiles, followFiles } from './operator-files/follow-files.ts'
export { type FileContent, readOperatorFile } from './operator-files/read-operator-file.ts'
export { StorefrontOptionError } from './options/storefront-option-error.ts'
export {
  createStorefront,
  DefaultModelError,
  type Provision,
  type StorefrontOptions,
  type StorefrontTerms,
} from './quote/create-storefront.ts'
export { findSoldModels } from './quote/find-sold-models.ts'
export { type ChatQuotes, ownQuote } from './quote/highest-quotes.ts'
export { modelNameProblem } from './quote/model-name-problem.ts'
export {
  type ChatSale,
  type ModelSale,
  type QuoteOptions,
  quoteChatRequest,
} from './quote/quote-chat-request.ts'
export {
  type ImageRejection,
  type ImageSale,
  type QuotedImage,
  quoteImageEstimate,
  quoteImageRequest,
} from './quote/quote-image-request.ts'
export type { Quoted, RequestRejection } from './quote/request-rejection.ts'
export type { Storefront } from './quote/storefront.ts'
export { openTokenCounter, TokenizerSettingsError } from './tokens/open-token-counter.ts'
