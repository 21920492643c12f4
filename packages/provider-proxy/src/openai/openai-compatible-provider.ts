import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  wireProvider,
} from '../call/wire-provider.ts'
import { openAiWire } from './openai-wire.ts'
import type { ProviderProfile } from './provider-profile.ts'

export type OpenAiCompatibleOptions = ConnectionOptions & {
  readonly profile: ProviderProfile
  /** The name in errors and metrics; the profile's unless given. */
  readonly name?: string
  /** Version path included, `https://openrouter.ai/api/v1`; the profile's unless given. */
  readonly baseUrl?: string
  /** None for a server that asks for none. */
  readonly apiKey?: string
}

/**
 * A provider that speaks `POST /chat/completions`. It is always called streaming, since only a
 * stream can be stopped and metered on its way.
 *
 * @throws {TypeError} when neither the options nor the profile give a valid base URL.
 */
export function createOpenAiCompatibleProvider(
  options: OpenAiCompatibleOptions,
): ConnectedChatProvider {
  const profile = { ...options.profile, name: options.name ?? options.profile.name }
  const baseUrl = options.baseUrl ?? profile.baseUrl
  if (baseUrl === undefined) throw new TypeError(`${profile.name} needs a base URL`)
  return wireProvider(openAiWire(profile, options.apiKey), baseUrl, options)
}
