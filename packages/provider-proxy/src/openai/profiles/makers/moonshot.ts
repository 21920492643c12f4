import { openSampling } from '../../../provider/open-sampling.ts'
import { reasoningFormats } from '../../../reasoning/reasoning-detail.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://platform.moonshot.ai/docs: usage may lie in `choices[0].usage`. From Kimi K3 on there are
 * three efforts: @earendil-works/pi-ai 1.5.2, `moonshotai.json`. From Kimi K2.5 on, the temperature and
 * other sampling fields are fixed, and any other value is rejected: https://github.com/HKUDS/nanobot/pull/4967
 * While Kimi K2 thinks, it rejects a forced tool, and K3 a certain one; K2.7 always thinks:
 * https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152
 */
export const moonshotProfile: ProviderProfile = {
  ...commonProfile,
  name: 'moonshot',
  baseUrl: 'https://api.moonshot.ai/v1',
  reasoningFormat: reasoningFormats.moonshot,
  messages: { ...commonProfile.messages, reasoning: 'text with tools' },
  unsupported: [
    'temperature',
    'top_p',
    'n',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'parallel_tool_calls',
    ...openSampling,
  ],
  efforts: ['low', 'high', 'max'],
  modelEfforts: [{ models: /^kimi-k[12]/, efforts: [] }],
  forcedTools: [
    { models: /^kimi-k2\.[56]/, accepted: 'without reasoning' },
    { models: /^kimi-k2(\.7|-thinking)/, accepted: 'never' },
    { models: /^kimi-k3/, accepted: 'unnamed' },
  ],
}
