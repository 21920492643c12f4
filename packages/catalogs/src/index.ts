export type {
  ChatModel,
  ChatParameter,
  Modality,
  ProviderName,
  UpstreamRoute,
} from './chat-model.ts'
export type { ImageCategory, ImageModel, ImageSizes } from './image-model.ts'
