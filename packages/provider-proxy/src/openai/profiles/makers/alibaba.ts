import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope: the
 * address of Singapore. https://ai-sdk.dev/providers/ai-sdk-providers/alibaba: fields and JSON
 * mode. https://github.com/cloudwego/eino/issues/994: while a model thinks, it rejects a forced tool.
 * Nothing confirms the fields in `unsupported`, nor that it stops billing after a disconnect.
 */
export const alibabaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'alibaba',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  schemas: 'as text',
  // https://github.com/plastic-labs/honcho/issues/663
  jsonWordNeeded: /^/,
  onClientGone: 'drain',
  thinkingOff: { enable_thinking: false },
  forcedTools: [{ models: /./, accepted: 'without reasoning' }],
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'frequency_penalty',
    'reasoning_effort',
    'verbosity',
    'min_p',
    'repetition_penalty',
  ],
  messageNames: 'unsupported',
  imageDetail: 'unsupported',
  imageTypes: /^/,
}
