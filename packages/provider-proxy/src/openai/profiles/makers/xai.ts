import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.x.ai/docs: completion_tokens exclude reasoning.
 * https://docs.x.ai/developers/model-capabilities/text/reasoning: the efforts.
 * `xhigh`: @earendil-works/pi-ai 1.5.2, `xai.json`.
 */
export const xAiProfile: ProviderProfile = {
  ...commonProfile,
  name: 'xai',
  baseUrl: 'https://api.x.ai/v1',
  capField: 'max_completion_tokens',
  usage: { reasoning: 'outside', cached: 'outside when larger', cost: 'not reported' },
  unsupported: [
    'n',
    'stop',
    'frequency_penalty',
    'presence_penalty',
    'logit_bias',
    ...openSampling,
  ],
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  reasoning: 'hidden',
}
