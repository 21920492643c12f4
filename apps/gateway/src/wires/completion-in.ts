import { type ChatCompletion, chatCompletionSchema } from '@farebox/api'

/** The completion in a JSON response; `undefined` for an error body. */
export function completionIn(body: string): ChatCompletion | undefined {
  const parsed = chatCompletionSchema.safeParse(JSON.parse(body))
  return parsed.success ? parsed.data : undefined
}
