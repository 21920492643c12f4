import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion */
export const novitaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'novita',
  baseUrl: 'https://api.novita.ai/openai/v1',
  unsupported: ['parallel_tool_calls'],
}
