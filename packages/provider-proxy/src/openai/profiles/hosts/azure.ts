import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle: the v1 API, without
 * `api-version` and with OpenAI's fields. The address names the resource, and a model is a
 * deployment.
 */
export const azureProfile: ProviderProfile = {
  ...commonProfile,
  name: 'azure',
  auth: { header: 'api-key', prefix: '' },
  capField: 'max_completion_tokens',
  developerRole: 'kept',
  reasoning: 'hidden',
  unsupported: openSampling,
  jsonWordNeeded: /^/,
}
