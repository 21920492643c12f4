export { type FormatLine, lineFormat } from './log/line-format.ts'
export { createLogger, type Logger } from './log/logger.ts'
export { createReasonFilter } from './log/reason-filter.ts'
