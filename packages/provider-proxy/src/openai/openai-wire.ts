import { checkedKey } from '../transport/checked-key.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { createOpenAiReader } from './openai-reader.ts'
import type { ProviderProfile } from './provider-profile.ts'
import { requestBody } from './request-body.ts'

/** What a connection adds to a profile. */
export type OpenAiAddress = {
  /** Omitted for a server that needs no key. */
  readonly apiKey?: string
  /** The path below the base URL for a model of the provider; `/chat/completions` by default. */
  readonly path?: (upstreamModel: string) => string
}

/** The wire of `POST /chat/completions`, as one provider speaks it. */
export function openAiWire(profile: ProviderProfile, { apiKey, path }: OpenAiAddress): ChatWire {
  const { header, prefix } = profile.auth
  const headers = apiKey === undefined ? {} : { [header]: `${prefix}${checkedKey(apiKey)}` }
  return {
    name: profile.name,
    onClientGone: profile.onClientGone,
    reasoning: profile.reasoning,
    request: (call) => ({
      path: path?.(call.upstreamModel) ?? '/chat/completions',
      headers,
      body: requestBody(call, profile),
    }),
    reader: (frame, call) => createOpenAiReader(frame, call, profile),
  }
}
