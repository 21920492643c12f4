import type { ProviderName } from '@farebox/catalogs'
import type { Sandbox } from '@farebox/devnet/sandbox'
import {
  anthropicLimits,
  cerebrasProfile,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  createOpenAiImagesProvider,
  createRunwareProvider,
  customProfile,
  deepSeekProfile,
  fireworksProfile,
  geminiLimits,
  groqProfile,
  type HealthOptions,
  mistralProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
  type ProviderProfile,
  type RequestLimits,
  sandboxProfile,
  togetherProfile,
  withBreaker,
  withImageBreaker,
  xAiProfile,
} from '@farebox/provider-proxy'
import type { Config } from '../settings.ts'
import {
  type ConnectedChat,
  type ConnectedImages,
  createProviderRoutes,
  type ImageField,
  type ProviderRoutes,
} from './provider-routes.ts'

type OpenAiLike = readonly [
  name: ProviderName,
  profile: ProviderProfile,
  key: `${string}_API_KEY` & keyof Config,
  url: `${string}_BASE_URL` & keyof Config,
]

const openAiLike: readonly OpenAiLike[] = [
  ['openrouter', openRouterProfile, 'OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
  ['openai', openAiProfile, 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  ['xai', xAiProfile, 'XAI_API_KEY', 'XAI_BASE_URL'],
  ['deepseek', deepSeekProfile, 'DEEPSEEK_API_KEY', 'DEEPSEEK_BASE_URL'],
  ['mistral', mistralProfile, 'MISTRAL_API_KEY', 'MISTRAL_BASE_URL'],
  ['groq', groqProfile, 'GROQ_API_KEY', 'GROQ_BASE_URL'],
  ['together', togetherProfile, 'TOGETHER_API_KEY', 'TOGETHER_BASE_URL'],
  ['fireworks', fireworksProfile, 'FIREWORKS_API_KEY', 'FIREWORKS_BASE_URL'],
  ['cerebras', cerebrasProfile, 'CEREBRAS_API_KEY', 'CEREBRAS_BASE_URL'],
  ['moonshot', moonshotProfile, 'MOONSHOT_API_KEY', 'MOONSHOT_BASE_URL'],
]

/** Each failure costs the gas of a settlement and a refund, so stop selling a failing provider. */
const breaker = { clock: Date.now, threshold: 20, firstPause: 2_000 }

/** Enables every provider with a key, the custom server, and the sandbox if it is running. */
export function composeProviders(
  config: Config,
  sandbox: Sandbox | undefined,
  onKeyRejected: (provider: string) => void,
): ProviderRoutes {
  const guarded = (name: ProviderName): HealthOptions => ({
    ...breaker,
    hasKey: name !== 'sandbox',
    onKeyRejected: () => onKeyRejected(name),
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
    openAiLike.some(([, , key]) => config[key] !== undefined) ||
    config.ANTHROPIC_API_KEY !== undefined ||
    config.GEMINI_API_KEY !== undefined ||
    config.RUNWARE_API_KEY !== undefined ||
    config.CUSTOM_PROVIDER_BASE_URL !== undefined
  )
}

/** A provider, as the doctor checks it. */
export type KeyedProvider = {
  readonly name: ProviderName
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
}

/** The enabled OpenAI-compatible providers, with their URLs and keys. */
export function keyedProviders(config: Config): readonly KeyedProvider[] {
  const own = openAiLike.flatMap(([name, { baseUrl, auth }, key, url]) => {
    const apiKey = config[key]
    const address = config[url] ?? baseUrl
    if (apiKey === undefined || address === undefined) return []
    return [{ name, baseUrl: address, headers: { [auth.header]: auth.prefix + apiKey } }]
  })
  const { CUSTOM_PROVIDER_BASE_URL: baseUrl, CUSTOM_PROVIDER_API_KEY: apiKey } = config
  if (baseUrl === undefined) return own
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  return [...own, { name: 'custom', baseUrl, headers }]
}

type Connected = {
  readonly name: ProviderName
  readonly provider: ReturnType<typeof createOpenAiCompatibleProvider>
  readonly limits: RequestLimits
}

function keyed(config: Config): readonly Connected[] {
  return openAiLike.flatMap(([name, profile, key, url]) => {
    const apiKey = config[key]
    if (apiKey === undefined) return []
    const baseUrl = config[url]
    const provider = createOpenAiCompatibleProvider({
      profile,
      apiKey,
      ...(baseUrl && { baseUrl }),
    })
    return [{ name, provider, limits: profile }]
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
  return connected
}

function custom(config: Config): readonly Connected[] {
  const { CUSTOM_PROVIDER_BASE_URL: baseUrl, CUSTOM_PROVIDER_API_KEY: apiKey } = config
  if (baseUrl === undefined) return []
  const provider = createOpenAiCompatibleProvider({
    profile: customProfile,
    baseUrl,
    ...(apiKey && { apiKey }),
  })
  return [{ name: 'custom', provider, limits: customProfile }]
}

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
