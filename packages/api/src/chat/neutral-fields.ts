import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'

const notSold = optionalField(z.literal(null, 'must be removed'))

/** Fields that may be sent, with a value that requests nothing. */
export const neutralFields = {
  audio: notSold,
  best_of: optionalField(z.literal(1)),
  function_call: optionalField(
    z.enum(['none', 'auto'], 'must be removed: use tools and tool_choice instead'),
  ),
  functions: optionalField(z.array(z.unknown()).max(0, 'must be removed: use tools instead')),
  include_reasoning: optionalField(
    z.literal(true, 'must be true, or removed: use reasoning.exclude instead'),
  ),
  moderation: notSold,
  plugins: optionalField(z.array(z.unknown()).max(0)),
  prediction: notSold,
  route: notSold,
  thinking: notSold,
  top_a: optionalField(z.literal(0, 'must be 0, or removed')),
  web_search_options: notSold,
}
