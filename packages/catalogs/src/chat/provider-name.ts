/**
 * What a provider is: `maker` sells its own models, `host` those of others, `router` forwards to
 * makers and hosts, `own` is a server of the operator, `simulator` makes up responses.
 */
export type ProviderKind = 'maker' | 'host' | 'router' | 'own' | 'simulator'

type KnownProvider =
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'xai'
  | 'deepseek'
  | 'mistral'
  | 'moonshot'
  | 'zai'
  | 'alibaba'
  | 'minimax'
  | 'perplexity'
  | 'cohere'
  | 'azure'
  | 'bedrock'
  | 'vertex'
  | 'groq'
  | 'together'
  | 'fireworks'
  | 'cerebras'
  | 'deepinfra'
  | 'sambanova'
  | 'nebius'
  | 'novita'
  | 'nvidia'
  | 'cloudflare'
  | 'runware'
  | 'ollama'
  | 'vllm'
  | 'custom'
  | 'huggingface'
  | 'openrouter'
  | 'sandbox'

const kinds: Readonly<Record<KnownProvider, ProviderKind>> = {
  openai: 'maker',
  anthropic: 'maker',
  gemini: 'maker',
  xai: 'maker',
  deepseek: 'maker',
  mistral: 'maker',
  moonshot: 'maker',
  zai: 'maker',
  alibaba: 'maker',
  minimax: 'maker',
  perplexity: 'maker',
  cohere: 'maker',
  azure: 'host',
  bedrock: 'host',
  vertex: 'host',
  groq: 'host',
  together: 'host',
  fireworks: 'host',
  cerebras: 'host',
  deepinfra: 'host',
  sambanova: 'host',
  nebius: 'host',
  novita: 'host',
  nvidia: 'host',
  cloudflare: 'host',
  runware: 'host',
  ollama: 'own',
  vllm: 'own',
  custom: 'own',
  huggingface: 'router',
  openrouter: 'router',
  sandbox: 'simulator',
}

/** The providers that can run a model; `custom:NAME` is a further server of the operator. */
export type ProviderName = KnownProvider | `custom:${string}`

/** The providers that Farebox calls, without the servers of an operator. */
export const providerNames: readonly KnownProvider[] = Object.keys(kinds).filter(isKnownProvider)

function isKnownProvider(name: string): name is KnownProvider {
  return Object.hasOwn(kinds, name)
}

/** Whether a text names a provider. */
export function isProviderName(name: string): name is ProviderName {
  return isKnownProvider(name) || /^custom:[a-z0-9][a-z0-9-]{0,31}$/.test(name)
}

/** Lower is tried first: each further party between the client and the model adds a margin. */
const ranks: Readonly<Record<ProviderKind, number>> = {
  own: 0,
  maker: 1,
  host: 2,
  router: 3,
  simulator: 4,
}

/** Routes in the order in which they are tried: makers, hosts, routers; otherwise as given. */
export function inRouteOrder<Route extends { readonly provider: ProviderName }>(
  routes: readonly Route[],
): readonly Route[] {
  return routes.toSorted((one, other) => rankOf(one.provider) - rankOf(other.provider))
}

function rankOf(name: ProviderName): number {
  return ranks[isKnownProvider(name) ? kinds[name] : 'own']
}
