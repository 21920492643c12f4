import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.api.nvidia.com/nim/reference/llm-apis */
export const nvidiaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'nvidia',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  unsupported: ['n', 'logit_bias', 'parallel_tool_calls', 'reasoning_effort', ...openSampling],
}
