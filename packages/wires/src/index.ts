export {
  imageGenerationBody,
  readImageGeneration,
  type TranslatedImages,
} from './images/image-generations-wire.ts'
export { countTokensWire, messagesWire } from './messages/messages-wire.ts'
export { responsesWire } from './responses/responses-wire.ts'
export { translatedRequests } from './wire/translated-requests.ts'
export type { ReplyStream, Wire, WireFailure, WireReply, WireRequest } from './wire/wire.ts'
export { withCallerNames } from './wire/with-caller-names.ts'
export { wireRequestSchemas } from './wire-request-schemas.ts'
