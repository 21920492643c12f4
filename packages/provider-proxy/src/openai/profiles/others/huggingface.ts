import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://huggingface.co/docs/inference-providers: a router, whose hosts bill differently after a disconnect. */
export const huggingFaceProfile: ProviderProfile = {
  ...commonProfile,
  name: 'huggingface',
  baseUrl: 'https://router.huggingface.co/v1',
  onClientGone: 'drain',
  reasoning: 'hidden',
  unsupported: ['n', 'logit_bias'],
}
