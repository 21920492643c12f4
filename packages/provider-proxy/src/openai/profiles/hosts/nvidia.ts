import { openSampling } from '../../../provider/open-sampling.ts'
import { type ProviderProfile, strictProfile } from '../../provider-profile.ts'

/**
 * https://docs.api.nvidia.com/nim/reference/nvidia-nemotron-3-super-120b-a12b-infer and
 * https://docs.api.nvidia.com/nim/reference/nvidia-llama-3_1-nemotron-nano-vl-8b-v1-infer: fields
 * differ by model, and images come as data. Nothing confirms the fields in `unsupported` for all
 * models.
 */
export const nvidiaProfile: ProviderProfile = {
  ...strictProfile,
  name: 'nvidia',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'parallel_tool_calls',
    'reasoning_effort',
    'verbosity',
    ...openSampling,
  ],
}
