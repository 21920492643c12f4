export type { CatalogOverrides, ChatChange, ImageChange } from './apply-overrides.ts'
export type { PriceUpdate } from './apply-price-updates.ts'
export { type Catalog, type CatalogOptions, createCatalog } from './catalog.ts'
export type { CatalogData } from './catalog-data.ts'
export type {
  ChatModel,
  ChatParameter,
  Modality,
  ProviderName,
  Reasoning,
  UpstreamRoute,
} from './chat-model.ts'
export type {
  ChatPriceRecord,
  ChatRecord,
  PeakText,
  PriceBasis,
  RateText,
  TierText,
} from './chat-record.ts'
export { CatalogError } from './dated.ts'
export {
  defaultChatModel,
  defaultChatModelFor,
  defaultChatModels,
  defaultImageModel,
} from './default-models.ts'
export type { ImageCategory, ImageModel, ImageSizes } from './image-model.ts'
export type {
  ImagePointText,
  ImagePriceRecord,
  ImagePriceStatus,
  ImageRecord,
  ImageRuleText,
} from './image-record.ts'
export { allowsSize, describeSizes, legalSizes, listedImagePrices } from './image-sizes.ts'
export type { Issue } from './issue.ts'
export type { ParameterProfile } from './parameter-profiles.ts'
export { type ParsedOverrides, parseCatalogOverrides } from './parse-catalog-overrides.ts'
export {
  type ParsedCustomModels,
  parseCustomProviderModels,
} from './parse-custom-provider-models.ts'
export { shippedCatalog, shippedData } from './shipped-catalog.ts'
