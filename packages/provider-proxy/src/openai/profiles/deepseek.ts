import { commonProfile, type ProviderProfile } from '../provider-profile.ts'

/** https://api-docs.deepseek.com: cached input is counted in prompt_cache_hit_tokens. */
export const deepSeekProfile: ProviderProfile = {
  ...commonProfile,
  name: 'deepseek',
  baseUrl: 'https://api.deepseek.com',
  messages: { textParts: 'joined', emptyContent: 'null', callIds: 'kept' },
  responseFormats: ['json_object'],
  unsupported: ['n', 'seed', 'logit_bias', 'parallel_tool_calls'],
}
