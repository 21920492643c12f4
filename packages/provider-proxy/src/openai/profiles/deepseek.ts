import { commonProfile, type ProviderProfile } from '../provider-profile.ts'

/** https://api-docs.deepseek.com: cached input is counted in prompt_cache_hit_tokens. */
export const deepSeekProfile: ProviderProfile = {
  ...commonProfile,
  name: 'deepseek',
  baseUrl: 'https://api.deepseek.com',
  unsupported: ['n', 'seed', 'logit_bias', 'parallel_tool_calls'],
}
