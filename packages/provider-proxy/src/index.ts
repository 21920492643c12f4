export type {
  ChatCall,
  ChatEvent,
  ChatProvider,
  ChatStream,
  Timings,
} from './chat-provider.ts'
export type { GeneratedImage, ImageCall, ImageProvider, ImageResult } from './image-provider.ts'
export { UpstreamError, type UpstreamErrorCode } from './upstream-error.ts'
