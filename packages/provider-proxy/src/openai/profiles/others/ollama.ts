import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.ollama.com/api/openai-compatibility: its list of supported fields, in which newer versions
 * add `tool_choice` and logprobs; and four efforts.
 */
export const ollamaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'tool_choice',
    'parallel_tool_calls',
    'verbosity',
    ...openSampling,
  ],
  efforts: ['none', 'low', 'medium', 'high'],
  messageNames: 'unsupported',
  remoteImages: 'unsupported',
  imageDetail: 'unsupported',
  strictTools: 'unsupported',
}
