import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://platform.openai.com/docs/api-reference/chat: reasoning is counted but never shown. */
export const openAiProfile: ProviderProfile = {
  ...commonProfile,
  name: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  capField: 'max_completion_tokens',
  developerRole: 'kept',
  reasoning: 'hidden',
  unsupported: openSampling,
}
