import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://openrouter.ai/docs: usage always comes; `provider.max_price` bounds the rates; every
 * effort, of which each model gets the nearest that it has.
 */
export const openRouterProfile: ProviderProfile = {
  ...commonProfile,
  name: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  usageFlag: false,
  reasoningFields: ['reasoning', 'reasoning_content'],
  developerRole: 'kept',
  messages: { ...commonProfile.messages, reasoning: 'details' },
  usage: { reasoning: 'inside', cached: 'inside', cost: 'reported' },
  cacheMarks: 'sent',
  maxPrice: 'sent',
  reasoning: 'hidden',
  reasoningBudgets: 'supported',
  jsonWordNeeded: /^(openai\/(?!gpt-oss)|deepseek\/)/,
  unsupported: ['n'],
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
}
