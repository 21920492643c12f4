import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** Any other OpenAI-compatible server: vLLM, Ollama, llama.cpp, or Perplexity with its itemized cost. */
export const customProfile: ProviderProfile = {
  ...commonProfile,
  name: 'custom',
  usage: { ...commonProfile.usage, cost: 'itemized' },
  reasoning: 'hidden',
}
