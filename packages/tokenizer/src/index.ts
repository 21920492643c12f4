export type { ChatExtras, ChatMessage, ContentPart, MessageToolCall } from './chat/chat-message.ts'
export { countChatTokens } from './chat/count-chat-tokens.ts'
export {
  type Counter,
  CounterVocabularyError,
  createCounter,
  encodingsOf,
} from './counter/counter.ts'
export { counterForModel } from './counter/counter-for-model.ts'
export { type CounterName, counterNames } from './counter/counter-name.ts'
export type { TokenCount } from './counter/token-count.ts'
export type { Wire } from './counter/wire.ts'
export { type EncodingName, encodingNames } from './engine/encoding-name.ts'
export type { StreamCounter } from './engine/growing/stream-counter.ts'
export { UnknownTokenError } from './engine/table/decode.ts'
export type { StreamDecoder } from './engine/table/stream-decoder.ts'
export { TableFileError } from './engine/table/table-file.ts'
export { type CountedImage, countImageTokens } from './images/count-image-tokens.ts'
export type { ImageDetail } from './images/image-rule.ts'
export type { ImageSize } from './images/image-size.ts'
export { imageSizeOfUrl } from './images/image-size-of-url.ts'
export { imageSize } from './images/read-image-size.ts'
export { type FactorProblem, type ParsedFactors, parseFactors } from './pool/parse-factors.ts'
export { createTokenizer } from './vocabulary/create-tokenizer.ts'
export type { SplitOptions } from './vocabulary/split-text.ts'
export type { Tokenizer } from './vocabulary/tokenizer.ts'
