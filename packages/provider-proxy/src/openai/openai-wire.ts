import type { ChatWire } from '../wire/chat-wire.ts'
import { createOpenAiReader } from './openai-reader.ts'
import type { ProviderProfile } from './provider-profile.ts'
import { requestBody } from './request-body.ts'

/** The wire of `POST /chat/completions`, as one provider speaks it. */
export function openAiWire(profile: ProviderProfile, apiKey: string | undefined): ChatWire {
  const { header, prefix } = profile.auth
  const headers = apiKey === undefined ? {} : { [header]: `${prefix}${apiKey}` }
  return {
    name: profile.name,
    onClientGone: profile.onClientGone,
    reasoning: profile.reasoning,
    request: (call) => ({
      path: '/chat/completions',
      headers,
      body: requestBody(call, profile),
    }),
    reader: (frame, call) => createOpenAiReader(frame, call, profile),
  }
}
