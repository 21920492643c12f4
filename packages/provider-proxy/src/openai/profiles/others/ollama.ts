import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.ollama.com/api/openai-compatibility: its list of supported fields. */
export const ollamaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'tool_choice',
    'parallel_tool_calls',
  ],
  efforts: ['none', 'low', 'medium', 'high'],
  remoteImages: 'unsupported',
}
