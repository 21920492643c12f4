import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.perplexity.ai/api-reference: it searches for each request, at a fee in `usage.cost`. */
export const perplexityProfile: ProviderProfile = {
  ...commonProfile,
  name: 'perplexity',
  baseUrl: 'https://api.perplexity.ai',
  usage: { ...commonProfile.usage, cost: 'itemised' },
  onClientGone: 'drain',
  reasoning: 'hidden',
  unsupported: [
    'n',
    'seed',
    'stop',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'min_p',
    'repetition_penalty',
  ],
  responseFormats: ['json_schema'],
  messageNames: 'unsupported',
}
