import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference: it bills on after a disconnect. */
export const alibabaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'alibaba',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  schemas: 'as text',
  onClientGone: 'drain',
  unsupported: ['n', 'logit_bias', 'frequency_penalty', 'reasoning_effort', 'min_p'],
  messageNames: 'unsupported',
}
