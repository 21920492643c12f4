import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://huggingface.co/docs/inference-providers/tasks/chat-completion: its list of fields. A
 * router, whose hosts bill differently after a disconnect.
 */
export const huggingFaceProfile: ProviderProfile = {
  ...commonProfile,
  name: 'huggingface',
  baseUrl: 'https://router.huggingface.co/v1',
  onClientGone: 'drain',
  reasoning: 'hidden',
  unsupported: ['n', 'logit_bias', 'parallel_tool_calls', 'verbosity', ...openSampling],
  imageDetail: 'unsupported',
  strictTools: 'unsupported',
}
