import type { UpstreamRoute } from '../chat/chat-model.ts'

/** What a model is found by. */
export type NamedModel = { readonly id: string; readonly routes: readonly UpstreamRoute[] }

/** The prefixes of hosts that serve several makers and are not sold here. */
const otherHosts = /^(azure|azure_ai|bedrock|amazon-bedrock|vertex|vertex_ai|google-vertex)[/:]/

/** Bedrock's `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. */
const bedrockName =
  /^(?:(?:us|us-gov|eu|apac|au|ca|jp|global)\.)?([a-z]+)\.([a-z].*?)-v\d+(?::\d+)?$/

/** What OpenRouter's answers call Claude: `anthropic/claude-4.5-haiku-20251001`. */
const versionFirst = /\bclaude-(\d+(?:\.\d+)?)-([a-z]+)/

/**
 * The chat or image models that a name may mean: one, several if it is ambiguous, or none. Besides
 * ids these are ids without their maker (`gpt-5`), with a date or version (`gpt-5-2025-08-07`,
 * `claude-sonnet-4-5@20250929`, `gemini-2.5-flash-001`), with a provider's name before them
 * (`openrouter/openai/gpt-5`, `openai:gpt-5`, `azure/gpt-5`, `models/gemini-2.5-flash`, Bedrock's
 * `anthropic.claude-sonnet-4-5-20250929-v1:0`), and what providers call a model
 * (`claude-sonnet-4-5`), in any case.
 *
 * @throws {TypeError} for a name that is not a string.
 */
export function modelsNamed<Model extends NamedModel>(
  name: string,
  models: readonly Model[],
): readonly Model[] {
  if (typeof name !== 'string') throw new TypeError('name must be a string: the name of a model')
  const exact = models.find(({ id }) => id === name)
  if (exact !== undefined) return [exact]
  for (const wanted of spellings(name)) {
    for (const namesOf of [fullNames, shortNames, providerNames]) {
      const found = models.filter((model) => namesOf(model).includes(wanted))
      if (found.length > 0) return found
    }
  }
  return []
}

/** The name in the catalog's spelling, then without its date, then without its version. */
function spellings(name: string): ReadonlySet<string> {
  const bare = name
    .trim()
    .toLowerCase()
    .replace(/^(publishers\/[a-z]+\/)?models\//, '')
    .replace(otherHosts, '')
    .replace(bedrockName, '$1/$2')
    .replace(versionFirst, 'claude-$2-$1')
  const asked = bare.replace(/^([a-z-]+):/, '$1/')
  const undated = asked.replace(/[-@](\d{4}-\d{2}-\d{2}|20\d{6})$/, '')
  return new Set([bare, asked, undated, undated.replace(/-00\d$/, '')])
}

function fullNames({ id }: NamedModel): readonly string[] {
  return [id.toLowerCase()]
}

/** The id without its first part, which names the maker or the host. */
function shortNames({ id }: NamedModel): readonly string[] {
  return [id.slice(id.indexOf('/') + 1).toLowerCase()]
}

/** What providers call the model, with and without the provider's own name before it. */
function providerNames({ routes }: NamedModel): readonly string[] {
  return routes.flatMap(({ provider, model }) => {
    const upstream = model.toLowerCase()
    return [upstream, `${provider}/${upstream}`]
  })
}
