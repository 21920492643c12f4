import {
  anthropicLimits,
  createAnthropicProvider,
  createGeminiProvider,
  geminiLimits,
} from '@farebox/provider-proxy'
import type { Config } from '../settings.ts'
import type { EnabledProvider, UnguardedChat } from './enabled-provider.ts'
import { vertexSignIn } from './sign-in.ts'

/** An enabled provider with its own wire. */
export type NativeProvider = EnabledProvider & { readonly connect: () => UnguardedChat }

/** The enabled providers with their own wire. */
export function nativeProviders(config: Config): readonly NativeProvider[] {
  const providers = [anthropic(config), gemini(config), vertex(config)]
  return providers.filter((provider) => provider !== undefined)
}

function anthropic({
  ANTHROPIC_API_KEY: apiKey,
  ANTHROPIC_BASE_URL: baseUrl = 'https://api.anthropic.com/v1',
}: Config): NativeProvider | undefined {
  if (apiKey === undefined) return undefined
  const name = 'anthropic'
  return {
    name,
    baseUrl,
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    connect: () => ({
      name,
      provider: createAnthropicProvider({ apiKey, baseUrl }),
      limits: anthropicLimits,
    }),
  }
}

function gemini({
  GEMINI_API_KEY: apiKey,
  GEMINI_BASE_URL: baseUrl = 'https://generativelanguage.googleapis.com/v1beta',
}: Config): NativeProvider | undefined {
  if (apiKey === undefined) return undefined
  const name = 'gemini'
  return {
    name,
    baseUrl,
    headers: { 'x-goog-api-key': apiKey },
    connect: () => ({
      name,
      provider: createGeminiProvider({ apiKey, baseUrl }),
      limits: geminiLimits,
    }),
  }
}

/** With a key or, without one, the sign-in of a service account. */
function vertex(config: Config): NativeProvider | undefined {
  const { VERTEX_API_KEY: apiKey } = config
  const signIn = apiKey === undefined ? vertexSignIn(config) : undefined
  if (apiKey === undefined && signIn === undefined) return undefined
  const name = 'vertex'
  const baseUrl = vertexBaseUrl(config)
  return {
    name,
    baseUrl,
    headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    ...(signIn && { signIn }),
    connect: () => ({
      name,
      provider: createGeminiProvider({
        name,
        baseUrl,
        callIds: 'omitted',
        ...(apiKey && { apiKey }),
        ...(signIn && { headers: signIn }),
      }),
      limits: geminiLimits,
    }),
  }
}

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
