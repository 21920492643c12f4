import type { ChatModel } from '../chat/chat-model.ts'

/**
 * The chat models that a name may mean: one, several if it is ambiguous, or none. Besides ids these
 * are ids without their maker (`gpt-5`), with a date or version (`gpt-5-2025-08-07`,
 * `claude-sonnet-4-5@20250929`), with a provider's name before them (`openrouter/openai/gpt-5`,
 * `models/gemini-2.5-flash`), and what providers call a model (`claude-sonnet-4-5`), in any case.
 */
export function chatModelsNamed(name: string, models: readonly ChatModel[]): readonly ChatModel[] {
  const exact = models.find(({ id }) => id === name)
  if (exact !== undefined) return [exact]
  const asked = name.toLowerCase().replace(/^models\//, '')
  const undated = asked.replace(/[-@](\d{4}-\d{2}-\d{2}|20\d{6})$/, '')
  for (const wanted of new Set([asked, undated])) {
    for (const namesOf of [fullNames, shortNames, providerNames]) {
      const found = models.filter((model) => namesOf(model).includes(wanted))
      if (found.length > 0) return found
    }
  }
  return []
}

function fullNames({ id }: ChatModel): readonly string[] {
  return [id.toLowerCase()]
}

/** The id without its first part, which names the maker or the host. */
function shortNames({ id }: ChatModel): readonly string[] {
  return [id.slice(id.indexOf('/') + 1).toLowerCase()]
}

/** What providers call the model, with and without the provider's own name before it. */
function providerNames({ routes }: ChatModel): readonly string[] {
  return routes.flatMap(({ provider, model }) => {
    const upstream = model.toLowerCase()
    return [upstream, `${provider}/${upstream}`]
  })
}
