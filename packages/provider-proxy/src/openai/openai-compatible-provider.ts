import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  wireProvider,
} from '../call/wire-provider.ts'
import { type OpenAiAddress, openAiWire } from './openai-wire.ts'
import type { ProviderProfile } from './provider-profile.ts'

/** A provider that speaks OpenAI's wire: its profile, key and address. */
export type OpenAiCompatibleOptions = ConnectionOptions &
  OpenAiAddress & {
    readonly profile: ProviderProfile
    /** The name in errors and metrics; defaults to the profile's. */
    readonly name?: string
    /** With the version path, `https://openrouter.ai/api/v1`; defaults to the profile's. */
    readonly baseUrl?: string
  }

/**
 * A provider that speaks `POST /chat/completions`. It is always called with `stream`, since only a
 * stream can be stopped and metered while it runs.
 *
 * @throws {TypeError} when neither the options nor the profile have a valid base URL.
 */
export function createOpenAiCompatibleProvider(
  options: OpenAiCompatibleOptions,
): ConnectedChatProvider {
  const profile = { ...options.profile, name: options.name ?? options.profile.name }
  const baseUrl = options.baseUrl ?? profile.baseUrl
  if (baseUrl === undefined)
    throw new TypeError(
      `baseUrl is missing: ${profile.name} has no default, so set it with the version path`,
    )
  return wireProvider(openAiWire(profile, options), baseUrl, options)
}
