import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.deepinfra.com/api-reference/openai-chat-completions-1: its list of fields. */
export const deepInfraProfile: ProviderProfile = {
  ...commonProfile,
  name: 'deepinfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  unsupported: ['logit_bias', 'top_logprobs', 'parallel_tool_calls', 'verbosity'],
  strictTools: 'unsupported',
}
