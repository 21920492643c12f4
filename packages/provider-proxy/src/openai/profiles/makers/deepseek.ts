import { openSampling } from '../../../provider/open-sampling.ts'
import { reasoningFormats } from '../../../reasoning/reasoning-detail.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://api-docs.deepseek.com: cached input is counted in prompt_cache_hit_tokens.
 * https://api-docs.deepseek.com/guides/thinking_mode: it thinks unless a request disables it, and
 * accepts every effort. While it thinks, it rejects a forced tool:
 * https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
 */
export const deepSeekProfile: ProviderProfile = {
  ...commonProfile,
  name: 'deepseek',
  baseUrl: 'https://api.deepseek.com',
  reasoningFormat: reasoningFormats.deepSeek,
  messages: {
    ...commonProfile.messages,
    textParts: 'joined',
    emptyContent: 'null',
    reasoning: 'text with tools',
  },
  schemas: 'as text',
  // https://api-docs.deepseek.com/guides/function_calling: only in its beta, if all tools are.
  strictTools: 'unsupported',
  // https://api-docs.deepseek.com/api/create-chat-completion
  maxStops: 16,
  // https://api-docs.deepseek.com/guides/json_mode
  jsonWordNeeded: /^/,
  thinkingType: 'sent',
  forcedTools: [{ models: /./, accepted: 'without reasoning' }],
  efforts: [...commonProfile.efforts, 'max'],
  unsupported: ['n', 'seed', 'logit_bias', 'parallel_tool_calls', ...openSampling],
}
