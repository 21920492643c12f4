import type { ProviderName } from '@farebox/catalogs'
import type { Sandbox } from '@farebox/devnet/sandbox'
import {
  createOpenAiCompatibleProvider,
  createOpenAiImagesProvider,
  createRunwareProvider,
  customProfile,
  type HealthOptions,
  ollamaProfile,
  sandboxProfile,
  vllmProfile,
  withBreaker,
  withImageBreaker,
} from '@farebox/provider-proxy'
import { type CustomServers, readCustomServers } from '@farebox/storefront'
import type { ProviderObserver } from '../observe/provider-log.ts'
import type { Config } from '../settings.ts'
import type { EnabledProvider, UnguardedChat } from './enabled-provider.ts'
import { nativeProviders } from './native-providers.ts'
import { connectionOf, isEnabled, openAiLike } from './openai-like-providers.ts'
import {
  type ConnectedChat,
  type ConnectedImages,
  createProviderRoutes,
  type ImageField,
  type ProviderRoutes,
} from './provider-routes.ts'

/** Each failure costs the gas of a settlement and a refund, so stop selling a failing provider. */
const breaker = { threshold: 20, firstPauseMs: 2_000 }

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
    ...nativeProviders(config).map(({ connect }) => connect()),
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
    nativeProviders(config).length > 0 ||
    config.RUNWARE_API_KEY !== undefined ||
    config.CUSTOM_PROVIDER_BASE_URL !== undefined ||
    config.CUSTOM_PROVIDERS !== undefined
  )
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
  const servers = customServers(config).map(
    ({ provider, baseUrl, apiKey }): EnabledProvider => ({
      name: provider,
      baseUrl,
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    }),
  )
  return [...own, ...nativeProviders(config), ...servers]
}

/**
 * The servers of `CUSTOM_PROVIDER_BASE_URL` and `CUSTOM_PROVIDERS`, whose problems were reported with
 * the configuration.
 */
function customServers(config: Config): CustomServers['servers'] {
  const { CUSTOM_PROVIDER_BASE_URL: baseUrl, CUSTOM_PROVIDER_API_KEY: apiKey } = config
  const servers = readCustomServers(config.CUSTOM_PROVIDERS).value?.servers ?? []
  if (baseUrl === undefined) return servers
  const single = { provider: 'custom', profile: 'custom', baseUrl } as const
  return [{ ...single, ...(apiKey && { apiKey }) }, ...servers]
}

function keyed(config: Config): readonly UnguardedChat[] {
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

function custom(config: Config): readonly UnguardedChat[] {
  return customServers(config).map(({ provider: name, profile, baseUrl, apiKey }) => {
    const limits = serverProfiles[profile]
    const options = { profile: limits, name, baseUrl, ...(apiKey && { apiKey }) }
    return { name, provider: createOpenAiCompatibleProvider(options), limits }
  })
}

const serverProfiles = { custom: customProfile, ollama: ollamaProfile, vllm: vllmProfile }

function sandboxChat(sandbox: Sandbox | undefined): readonly UnguardedChat[] {
  if (sandbox === undefined) return []
  const provider = createOpenAiCompatibleProvider({
    profile: sandboxProfile,
    baseUrl: sandbox.chatBaseUrl,
  })
  return [{ name: 'sandbox', provider, limits: sandboxProfile }]
}

type UnguardedImages = {
  readonly name: ProviderName
  readonly unsupported: readonly ImageField[]
  readonly provider: ReturnType<typeof createRunwareProvider>
}

function imageProviders(config: Config, sandbox: Sandbox | undefined): readonly UnguardedImages[] {
  const { RUNWARE_API_KEY: runware, OPENAI_API_KEY: openai } = config
  const providers: UnguardedImages[] = []
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
