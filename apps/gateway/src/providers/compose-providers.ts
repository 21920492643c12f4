import type { ProviderName } from '@farebox/catalogs'
import type { Sandbox } from '@farebox/devnet/sandbox'
import {
  anthropicLimits,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  createOpenAiImagesProvider,
  createRunwareProvider,
  customProfile,
  geminiLimits,
  type HealthOptions,
  ollamaProfile,
  type RequestLimits,
  sandboxProfile,
  vllmProfile,
  withBreaker,
  withImageBreaker,
} from '@farebox/provider-proxy'
import { type CustomServers, readCustomServers } from '@farebox/storefront'
import type { ProviderObserver } from '../observe/provider-log.ts'
import type { Config } from '../settings.ts'
import { connectionOf, isEnabled, openAiLike } from './openai-like-providers.ts'
import {
  type ConnectedChat,
  type ConnectedImages,
  createProviderRoutes,
  type ImageField,
  type ProviderRoutes,
} from './provider-routes.ts'
import { type SignIn, vertexSignIn } from './sign-in.ts'

/** Vertex AI in express mode, where an API key stands for a project, or that of a project. */
function vertexBaseUrl({
  VERTEX_BASE_URL: given,
  VERTEX_API_KEY: key,
  VERTEX_PROJECT: project,
  VERTEX_LOCATION: location,
}: Config): string {
  if (given !== undefined) return given
  if (key !== undefined || project === undefined) {
    return 'https://aiplatform.googleapis.com/v1/publishers/google'
  }
  const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`
  return `https://${host}.googleapis.com/v1/projects/${project}/locations/${location}/publishers/google`
}

/** Each failure costs the gas of a settlement and a refund, so stop selling a failing provider. */
const breaker = { clock: Date.now, threshold: 20, firstPauseMs: 2_000 }

/** Enables every provider with a key, the custom server, and the sandbox if it is running. */
export function composeProviders(
  config: Config,
  sandbox: Sandbox | undefined,
  observer?: ProviderObserver,
): ProviderRoutes {
  const guarded = (name: ProviderName): HealthOptions => ({
    ...breaker,
    hasKey: name !== 'sandbox',
    onKeyRejected: () => {
      observer?.onKeyRejected(name)
    },
    onChange: (change) => {
      observer?.onChange(name, change)
    },
  })
  const closing: (() => Promise<void>)[] = []
  const chat = [
    ...keyed(config),
    ...adapters(config),
    ...custom(config),
    ...sandboxChat(sandbox),
  ].map(({ name, provider, limits }): ConnectedChat => {
    closing.push(() => provider.close())
    return { name, limits, provider: withBreaker(provider, guarded(name)) }
  })
  const images = imageProviders(config, sandbox).map(
    ({ name, provider, unsupported }): ConnectedImages => {
      closing.push(() => provider.close())
      return { name, unsupported, provider: withImageBreaker(provider, guarded(name)) }
    },
  )
  const close = async (): Promise<void> => {
    await Promise.all(closing.map((end) => end()))
  }
  return createProviderRoutes({ chat, images, close })
}

/** Whether the configuration enables any provider besides the sandbox. */
export function hasProviders(config: Config): boolean {
  return (
    openAiLike.some((row) => isEnabled(row, config)) ||
    config.ANTHROPIC_API_KEY !== undefined ||
    config.GEMINI_API_KEY !== undefined ||
    config.VERTEX_API_KEY !== undefined ||
    config.VERTEX_PROJECT !== undefined ||
    config.RUNWARE_API_KEY !== undefined ||
    config.CUSTOM_PROVIDER_BASE_URL !== undefined ||
    config.CUSTOM_PROVIDERS !== undefined
  )
}

/** A provider, as the doctor checks it. */
export type EnabledProvider = {
  readonly name: ProviderName
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Authorizes requests without a key. */
  readonly signIn?: SignIn
  /** The query of its list of models. */
  readonly query?: string
}

/** The enabled chat providers, with their URLs and keys. */
export function enabledProviders(config: Config): readonly EnabledProvider[] {
  const own = openAiLike.flatMap((row) => {
    const [name, { baseUrl, auth }] = row
    const { apiKey, signIn, baseUrl: address = baseUrl } = connectionOf(row, config)
    if (!isEnabled(row, config) || address === undefined) return []
    const headers: Readonly<Record<string, string>> =
      apiKey === undefined ? {} : { [auth.header]: auth.prefix + apiKey }
    const version = name === 'azure' ? config.AZURE_API_VERSION : undefined
    const query = version && `?api-version=${encodeURIComponent(version)}`
    return [{ name, baseUrl: address, headers, ...(signIn && { signIn }), ...(query && { query }) }]
  })
  const servers = customServers(config).map(({ provider, baseUrl, apiKey }) => ({
    name: provider,
    baseUrl,
    headers: bearer(apiKey),
  }))
  const { CUSTOM_PROVIDER_BASE_URL: baseUrl, CUSTOM_PROVIDER_API_KEY: apiKey } = config
  const single: readonly EnabledProvider[] =
    baseUrl === undefined ? [] : [{ name: 'custom', baseUrl, headers: bearer(apiKey) }]
  return [...own, ...native(config), ...single, ...servers]
}

const geminiBaseUrl = 'https://generativelanguage.googleapis.com/v1beta'

/** The providers with their own wire. */
function native(config: Config): readonly EnabledProvider[] {
  const { ANTHROPIC_API_KEY: anthropic, GEMINI_API_KEY: gemini, VERTEX_API_KEY: vertex } = config
  const providers: EnabledProvider[] = []
  if (anthropic !== undefined) {
    const baseUrl = config.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com/v1'
    const headers = { 'x-api-key': anthropic, 'anthropic-version': '2023-06-01' }
    providers.push({ name: 'anthropic', baseUrl, headers })
  }
  if (gemini !== undefined) {
    const baseUrl = config.GEMINI_BASE_URL ?? geminiBaseUrl
    providers.push({ name: 'gemini', baseUrl, headers: { 'x-goog-api-key': gemini } })
  }
  const baseUrl = vertexBaseUrl(config)
  if (vertex !== undefined) {
    providers.push({ name: 'vertex', baseUrl, headers: { 'x-goog-api-key': vertex } })
  } else {
    const signIn = vertexSignIn(config)
    if (signIn !== undefined) providers.push({ name: 'vertex', baseUrl, headers: {}, signIn })
  }
  return providers
}

function bearer(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}

/** The servers of `CUSTOM_PROVIDERS`, whose problems were reported with the configuration. */
function customServers(config: Config): CustomServers['servers'] {
  return readCustomServers(config.CUSTOM_PROVIDERS).value?.servers ?? []
}

type Connected = {
  readonly name: ProviderName
  readonly provider: ReturnType<typeof createOpenAiCompatibleProvider>
  readonly limits: RequestLimits
}

function keyed(config: Config): readonly Connected[] {
  return openAiLike.flatMap((row) => {
    if (!isEnabled(row, config)) return []
    const [name, profile] = row
    const { signIn, ...connection } = connectionOf(row, config)
    const provider = createOpenAiCompatibleProvider({
      profile,
      ...connection,
      ...(signIn && { headers: signIn }),
    })
    const { jsonWordNeeded: _rule, ...others } = profile
    // A server at another address may not have this rule of its maker.
    const limits = connection.baseUrl === undefined || name === 'azure' ? profile : others
    return [{ name, provider, limits }]
  })
}

function adapters(config: Config): readonly Connected[] {
  const { ANTHROPIC_API_KEY: anthropic, GEMINI_API_KEY: gemini } = config
  const connected: Connected[] = []
  if (anthropic !== undefined) {
    const baseUrl = config.ANTHROPIC_BASE_URL
    const provider = createAnthropicProvider({ apiKey: anthropic, ...(baseUrl && { baseUrl }) })
    connected.push({ name: 'anthropic', provider, limits: anthropicLimits })
  }
  if (gemini !== undefined) {
    const baseUrl = config.GEMINI_BASE_URL
    const provider = createGeminiProvider({ apiKey: gemini, ...(baseUrl && { baseUrl }) })
    connected.push({ name: 'gemini', provider, limits: geminiLimits })
  }
  const { VERTEX_API_KEY: apiKey } = config
  const headers = apiKey === undefined ? vertexSignIn(config) : undefined
  if (apiKey !== undefined || headers !== undefined) {
    const provider = createGeminiProvider({
      name: 'vertex',
      baseUrl: vertexBaseUrl(config),
      callIds: 'omitted',
      ...(apiKey && { apiKey }),
      ...(headers && { headers }),
    })
    connected.push({ name: 'vertex', provider, limits: geminiLimits })
  }
  return connected
}

function custom(config: Config): readonly Connected[] {
  const { CUSTOM_PROVIDER_BASE_URL: baseUrl, CUSTOM_PROVIDER_API_KEY: apiKey } = config
  const single = { provider: 'custom', profile: 'custom', baseUrl, apiKey } as const
  return [single, ...customServers(config)].flatMap((server) => {
    if (server.baseUrl === undefined) return []
    const { provider: name, baseUrl: url, apiKey: key } = server
    const profile = serverProfiles[server.profile]
    const options = { profile, name, baseUrl: url, ...(key && { apiKey: key }) }
    return [{ name, provider: createOpenAiCompatibleProvider(options), limits: profile }]
  })
}

const serverProfiles = { custom: customProfile, ollama: ollamaProfile, vllm: vllmProfile }

function sandboxChat(sandbox: Sandbox | undefined): readonly Connected[] {
  if (sandbox === undefined) return []
  const provider = createOpenAiCompatibleProvider({
    profile: sandboxProfile,
    baseUrl: sandbox.chatBaseUrl,
  })
  return [{ name: 'sandbox', provider, limits: sandboxProfile }]
}

type ConnectedImage = {
  readonly name: ProviderName
  readonly unsupported: readonly ImageField[]
  readonly provider: ReturnType<typeof createRunwareProvider>
}

function imageProviders(config: Config, sandbox: Sandbox | undefined): readonly ConnectedImage[] {
  const { RUNWARE_API_KEY: runware, OPENAI_API_KEY: openai } = config
  const providers: ConnectedImage[] = []
  if (runware !== undefined) {
    const baseUrl = config.RUNWARE_BASE_URL
    providers.push({
      name: 'runware',
      unsupported: [],
      provider: createRunwareProvider({ apiKey: runware, ...(baseUrl && { baseUrl }) }),
    })
  }
  if (openai !== undefined) {
    const baseUrl = config.OPENAI_BASE_URL
    providers.push({
      name: 'openai',
      unsupported: ['negativePrompt', 'seed'],
      provider: createOpenAiImagesProvider({ apiKey: openai, ...(baseUrl && { baseUrl }) }),
    })
  }
  if (sandbox !== undefined) {
    const provider = createRunwareProvider({ apiKey: 'sandbox', baseUrl: sandbox.runwareBaseUrl })
    providers.push({ name: 'sandbox', unsupported: [], provider })
  }
  return providers
}
