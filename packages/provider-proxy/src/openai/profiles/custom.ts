import { commonProfile, type ProviderProfile } from '../provider-profile.ts'

/** Any other OpenAI-compatible server: vLLM, Ollama, llama.cpp. */
export const customProfile: ProviderProfile = { ...commonProfile, name: 'custom' }
