import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility: the address
 * names the account, and a token is sent as a bearer token. Nothing confirms the fields in
 * `unsupported`.
 */
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
    'verbosity',
    'min_p',
  ],
  messageNames: 'unsupported',
  imageDetail: 'unsupported',
  strictTools: 'unsupported',
}
