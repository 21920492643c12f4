import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility: the address names the account. */
export const cloudflareProfile: ProviderProfile = {
  ...commonProfile,
  name: 'cloudflare',
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'parallel_tool_calls',
    'reasoning_effort',
    'min_p',
  ],
}
