import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://deepinfra.com/docs/openai_api */
export const deepInfraProfile: ProviderProfile = {
  ...commonProfile,
  name: 'deepinfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  unsupported: ['logit_bias', 'parallel_tool_calls'],
}
