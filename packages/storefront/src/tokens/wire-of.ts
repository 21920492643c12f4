import type { ProviderName } from '@farebox/catalogs'
import type { Wire } from '@farebox/tokenizer'

/**
 * The wire that the tokens of a request are counted for, such that the bound covers each provider
 * that may serve it. Gemini's response schemas are billed on Vertex AI only, and OpenRouter and the
 * servers of an operator may send a request there.
 */
export function wireOf(providers: readonly ProviderName[]): Wire {
  const clouds = providers.filter(mayBeVertex)
  if (clouds.length === 0) return 'chat'
  return providers.every((name) => name === 'vertex') ? 'vertex' : 'router'
}

function mayBeVertex(name: ProviderName): boolean {
  return name === 'vertex' || name === 'openrouter' || name.startsWith('custom')
}
