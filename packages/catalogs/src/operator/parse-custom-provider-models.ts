import * as z from 'zod'
import type { ChatRecord } from '../chat/chat-record.ts'
import { type Issue, issuesOf } from '../record/issue.ts'
import { distinctModels } from '../record/record-fields.ts'
import { operatorChatModelSchema } from './operator-schema.ts'

const model = operatorChatModelSchema('custom', 'the operator')

const fileSchema = z.strictObject({
  models: distinctModels(model).min(1, 'must not be empty'),
})

/** The models, or all mistakes with their paths. */
export type ParsedCustomModels =
  | { readonly ok: true; readonly models: readonly ChatRecord[] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Parses the models and prices of the operator's own OpenAI-compatible server. A model without
 * `routes` is sent to the provider `custom` under its own id. All mistakes are reported together,
 * each with its path.
 */
export function parseCustomProviderModels(json: unknown): ParsedCustomModels {
  const parsed = fileSchema.safeParse(json)
  return parsed.success
    ? { ok: true, models: parsed.data.models }
    : { ok: false, issues: issuesOf(parsed.error) }
}
