import { createJoinedDetails } from './joined-details.ts'
import { readDetail } from './read-detail.ts'
import { isSeal, type ReasoningDetail, sealOf } from './reasoning-detail.ts'

/** An assistant message of the history, as clients send it back. */
export type ReasonedMessage = {
  readonly role: string
  readonly reasoning?: unknown
  readonly reasoning_content?: unknown
  readonly reasoning_details?: unknown
}

/** The reasoning steps in a message of the history, in their original pieces, each seal once. */
export function returnedDetails({
  reasoning_details,
}: ReasonedMessage): readonly ReasoningDetail[] {
  const given: readonly unknown[] = Array.isArray(reasoning_details) ? reasoning_details : []
  return withoutRepeats(given.flatMap((detail, position) => readDetail(detail, position) ?? []))
}

/** The end of a stream may repeat seals. */
function withoutRepeats(details: readonly ReasoningDetail[]): readonly ReasoningDetail[] {
  const seen = new Set<string>()
  return details.filter((detail) => {
    if (!isSeal(detail)) return true
    const { format: _, ...seal } = sealOf(detail)
    const key = JSON.stringify(seal)
    const isRepeated = seen.has(key) && detail.text === undefined && detail.summary === undefined
    seen.add(key)
    return !isRepeated
  })
}

/** The complete reasoning steps in a message that are in one provider's format. */
export function detailsInFormat(
  message: ReasonedMessage,
  format: string,
): readonly ReasoningDetail[] {
  const joined = createJoinedDetails()
  for (const detail of returnedDetails(message)) if (detail.format === format) joined.add(detail)
  return joined.details
}

/**
 * The text of the reasoning; undefined if it is in another provider's format. Clients that join texts
 * but no lists have the whole text, and only the last piece of the details.
 */
export function returnedText(message: ReasonedMessage, format: string): string | undefined {
  const own = detailsInFormat(message, format)
  if (own.length === 0 && returnedDetails(message).length > 0) return undefined
  const pieces = own.map((detail) => detail.text ?? '').join('')
  const { reasoning_content, reasoning } = message
  return [reasoning_content, reasoning, pieces].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}
