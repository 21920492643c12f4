import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html: all fields of OpenAI and of open weights. */
export const vllmProfile: ProviderProfile = {
  ...commonProfile,
  name: 'vllm',
  baseUrl: 'http://127.0.0.1:8000/v1',
}
