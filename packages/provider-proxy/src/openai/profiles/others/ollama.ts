import { openSampling } from '../../../provider/open-sampling.ts'
import { type ProviderProfile, strictProfile } from '../../provider-profile.ts'

/**
 * https://docs.ollama.com/api/openai-compatibility: its list of supported fields, in which newer
 * versions add `tool_choice` and logprobs; and four efforts.
 */
export const ollamaProfile: ProviderProfile = {
  ...strictProfile,
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
  callArguments: 'objects',
}
