import type { ChatExtras, ChatMessage } from '../chat/chat-message.ts'
import { planChat } from '../chat/chat-plan.ts'
import { jsonOf } from '../chat/json-of.ts'
import type { CounterName } from '../counter/counter-name.ts'
import { counterSpecs } from '../counter/counter-specs.ts'
import { byClass, profileText, textClasses } from '../counter/text-profile.ts'
import { requireInteger } from '../vocabulary/require-argument.ts'
import type { Tokenizer } from '../vocabulary/tokenizer.ts'
import type { CalibrationRecord } from './fit-factors.ts'

/** A request as sent, and the input tokens that the provider billed for it. */
export type RecordedUsage = ChatExtras & {
  readonly messages: readonly ChatMessage[]
  readonly inputTokens: number
}

/**
 * Prepares a recorded request for `fitFactors`.
 *
 * @throws TypeError for messages of a wrong shape, and for `inputTokens` that are not a whole number
 * above 0.
 */
export function calibrationRecord(
  usage: RecordedUsage,
  counter: CounterName,
  tokenizer: Pick<Tokenizer, 'countTokens'>,
): CalibrationRecord {
  requireInteger('inputTokens', usage.inputTokens, { from: 1, below: Number.POSITIVE_INFINITY })
  const plan = planChat(usage.messages, counterSpecs[counter].framing, usage)
  const share = byClass(() => 0)
  for (const [index, text] of plan.texts.entries()) {
    const weight = plan.weights[index]?.likely ?? 1
    const profile = profileText(text)
    const perByte = (weight * tokenizer.countTokens(text)) / Math.max(1, profile.bytes)
    for (const name of textClasses) share[name] += profile[name] * perByte
  }
  const tools = usage.tools?.length ?? 0
  const counts = {
    request: 1,
    message: usage.messages.filter(({ role }) => role !== 'tool' && role !== 'function').length,
    toolRequest: tools > 0 ? 1 : 0,
    tool: tools,
    format: hasFormat(usage.responseFormat) ? 1 : 0,
  }
  return { share, fixed: plan.framing.tokens, counts, billed: usage.inputTokens }
}

function hasFormat(format: unknown): boolean {
  return format !== undefined && jsonOf(format) !== '{"type":"text"}'
}
