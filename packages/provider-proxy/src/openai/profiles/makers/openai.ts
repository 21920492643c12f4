import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://platform.openai.com/docs/api-reference/chat: reasoning is counted but never shown, and the
 * efforts differ by model; those of each model: @earendil-works/pi-ai 1.5.2, `openai.json`.
 */
export const openAiProfile: ProviderProfile = {
  ...commonProfile,
  name: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  capField: 'max_completion_tokens',
  developerRole: 'kept',
  reasoning: 'hidden',
  unsupported: openSampling,
  // https://platform.openai.com/docs/guides/structured-outputs#json-mode
  jsonWordNeeded: /^/,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  modelEfforts: [
    { models: /^o\d/, efforts: ['low', 'medium', 'high'] },
    { models: /^gpt-5-pro/, efforts: ['high'] },
    { models: /^gpt-5(?!\.)/, efforts: ['minimal', 'low', 'medium', 'high'] },
    { models: /^gpt-5\.\d-pro/, efforts: ['medium', 'high', 'xhigh'] },
    { models: /^gpt-5\.1(?!\d)/, efforts: ['none', 'low', 'medium', 'high'] },
    { models: /^gpt-5\.[2-5](?!\d)/, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
    { models: /^gpt-/, efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] },
  ],
}
