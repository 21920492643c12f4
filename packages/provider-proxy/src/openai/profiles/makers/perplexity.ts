import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.perplexity.ai/guides/chat-completions-guide: the address and the parameters of
 * OpenAI's that it supports. It searches for each request, at a fee in `usage.cost`. Nothing
 * confirms the fields in `unsupported`, nor that it stops billing after a disconnect.
 */
export const perplexityProfile: ProviderProfile = {
  ...commonProfile,
  name: 'perplexity',
  baseUrl: 'https://api.perplexity.ai',
  usage: { ...commonProfile.usage, cost: 'itemized' },
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
    'verbosity',
    'min_p',
    'repetition_penalty',
  ],
  responseFormats: ['json_schema'],
  messageNames: 'unsupported',
  imageDetail: 'unsupported',
}
