import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html: OpenAI's fields and those
 * of open weights. It ignores other fields, such as `verbosity`, with a warning in its log.
 */
export const vllmProfile: ProviderProfile = {
  ...commonProfile,
  name: 'vllm',
  baseUrl: 'http://127.0.0.1:8000/v1',
  unsupported: ['verbosity'],
  imageTypes: /^/,
  callArguments: 'objects',
}
