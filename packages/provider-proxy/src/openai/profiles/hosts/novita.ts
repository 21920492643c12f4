import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion: the address and the
 * list of fields, in which `tool_choice`, `parallel_tool_calls` and `reasoning_effort` are missing.
 */
export const novitaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'novita',
  baseUrl: 'https://api.novita.ai/openai/v1',
  unsupported: ['tool_choice', 'parallel_tool_calls', 'reasoning_effort', 'verbosity'],
}
