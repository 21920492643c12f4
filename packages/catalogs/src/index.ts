export {
  type Catalog,
  type CatalogOptions,
  createCatalog,
  type DatedPrice,
} from './catalog/catalog.ts'
export {
  defaultChatModels,
  defaultImageModel,
} from './catalog/default-models.ts'
export { modelsNamed, type NamedModel } from './catalog/models-named.ts'
export { type ServicePrice, servicePrices } from './catalog/service-prices.ts'
export { shippedCatalog, shippedData } from './catalog/shipped-catalog.ts'
export type {
  ChatModel,
  Modality,
  Reasoning,
  UpstreamRoute,
} from './chat/chat-model.ts'
export { type ChatParameter, chatParameters } from './chat/chat-parameter.ts'
export type {
  ChatPriceRecord,
  ChatRecord,
  PeakText,
  PriceBasis,
  RateText,
  TierText,
} from './chat/chat-record.ts'
export { fitsContext, remainingTokens } from './chat/context-room.ts'
export type { ParameterProfile } from './chat/parameter-profiles.ts'
export { isProviderName, type ProviderName, providerNames } from './chat/provider-name.ts'
export type { CatalogOverrides, ChatChange, ImageChange } from './data/apply-overrides.ts'
export type { PriceUpdate } from './data/apply-price-updates.ts'
export type { CatalogData } from './data/catalog-data.ts'
export type { ImageCategory, ImageModel, ImageSizes } from './image/image-model.ts'
export type {
  ImagePointText,
  ImagePriceRecord,
  ImagePriceStatus,
  ImageRecord,
  ImageRuleText,
} from './image/image-record.ts'
export { allowsSize, describeSizes, legalSizes, listedImagePrices } from './image/image-sizes.ts'
export { type ParsedOverrides, parseCatalogOverrides } from './operator/parse-catalog-overrides.ts'
export {
  type ParsedCustomModels,
  parseCustomProviderModels,
} from './operator/parse-custom-provider-models.ts'
export {
  type CustomServer,
  type ParsedCustomServers,
  parseCustomServers,
} from './operator/parse-custom-servers.ts'
export { routePrice } from './price/route-price.ts'
export { CatalogError } from './record/dated.ts'
export type { Issue } from './record/issue.ts'
export type { Service } from './snapshot/service-rates.ts'
