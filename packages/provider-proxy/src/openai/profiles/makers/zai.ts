import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.z.ai/api-reference/llm/chat-completion: the address, `tool_choice: "auto"` alone,
 * JSON mode without a schema, and a single stop word.
 * https://java.agentscope.io/v2/en/integration/model/glm: messages have no name and tools no
 * `strict`.
 */
export const zAiProfile: ProviderProfile = {
  ...commonProfile,
  name: 'zai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  schemas: 'as text',
  unsupported: [
    'n',
    'seed',
    'stop',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'frequency_penalty',
    'presence_penalty',
    'tool_choice',
    'parallel_tool_calls',
    'reasoning_effort',
    'verbosity',
    ...openSampling,
  ],
  messageNames: 'unsupported',
  imageDetail: 'unsupported',
  strictTools: 'unsupported',
}
