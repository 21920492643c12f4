import type { ProviderName } from '@farebox/catalogs'
import {
  alibabaProfile,
  azureProfile,
  bedrockProfile,
  cerebrasProfile,
  cloudflareProfile,
  cohereProfile,
  deepInfraProfile,
  deepSeekProfile,
  fireworksProfile,
  groqProfile,
  huggingFaceProfile,
  miniMaxProfile,
  mistralProfile,
  moonshotProfile,
  nebiusProfile,
  novitaProfile,
  nvidiaProfile,
  ollamaProfile,
  openAiProfile,
  openRouterProfile,
  type ProviderProfile,
  perplexityProfile,
  sambaNovaProfile,
  togetherProfile,
  vllmProfile,
  xAiProfile,
  zAiProfile,
} from '@farebox/provider-proxy'
import type { Config } from '../settings.ts'
import { azureSignIn, bedrockSignIn, type SignIn } from './sign-in.ts'

export type OpenAiLike = readonly [
  name: ProviderName,
  profile: ProviderProfile,
  key: `${string}_API_KEY` & keyof Config,
  url: `${string}_BASE_URL` & keyof Config,
]

/** The providers that speak OpenAI's wire, with the settings that enable them. */
export const openAiLike: readonly OpenAiLike[] = [
  ['openrouter', openRouterProfile, 'OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
  ['openai', openAiProfile, 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  ['xai', xAiProfile, 'XAI_API_KEY', 'XAI_BASE_URL'],
  ['deepseek', deepSeekProfile, 'DEEPSEEK_API_KEY', 'DEEPSEEK_BASE_URL'],
  ['mistral', mistralProfile, 'MISTRAL_API_KEY', 'MISTRAL_BASE_URL'],
  ['groq', groqProfile, 'GROQ_API_KEY', 'GROQ_BASE_URL'],
  ['together', togetherProfile, 'TOGETHER_API_KEY', 'TOGETHER_BASE_URL'],
  ['fireworks', fireworksProfile, 'FIREWORKS_API_KEY', 'FIREWORKS_BASE_URL'],
  ['cerebras', cerebrasProfile, 'CEREBRAS_API_KEY', 'CEREBRAS_BASE_URL'],
  ['moonshot', moonshotProfile, 'MOONSHOT_API_KEY', 'MOONSHOT_BASE_URL'],
  ['zai', zAiProfile, 'ZAI_API_KEY', 'ZAI_BASE_URL'],
  ['alibaba', alibabaProfile, 'ALIBABA_API_KEY', 'ALIBABA_BASE_URL'],
  ['minimax', miniMaxProfile, 'MINIMAX_API_KEY', 'MINIMAX_BASE_URL'],
  ['perplexity', perplexityProfile, 'PERPLEXITY_API_KEY', 'PERPLEXITY_BASE_URL'],
  ['cohere', cohereProfile, 'COHERE_API_KEY', 'COHERE_BASE_URL'],
  ['deepinfra', deepInfraProfile, 'DEEPINFRA_API_KEY', 'DEEPINFRA_BASE_URL'],
  ['sambanova', sambaNovaProfile, 'SAMBANOVA_API_KEY', 'SAMBANOVA_BASE_URL'],
  ['nebius', nebiusProfile, 'NEBIUS_API_KEY', 'NEBIUS_BASE_URL'],
  ['novita', novitaProfile, 'NOVITA_API_KEY', 'NOVITA_BASE_URL'],
  ['huggingface', huggingFaceProfile, 'HUGGINGFACE_API_KEY', 'HUGGINGFACE_BASE_URL'],
  ['nvidia', nvidiaProfile, 'NVIDIA_API_KEY', 'NVIDIA_BASE_URL'],
  ['cloudflare', cloudflareProfile, 'CLOUDFLARE_API_KEY', 'CLOUDFLARE_BASE_URL'],
  ['azure', azureProfile, 'AZURE_API_KEY', 'AZURE_BASE_URL'],
  ['bedrock', bedrockProfile, 'BEDROCK_API_KEY', 'BEDROCK_BASE_URL'],
  ['ollama', ollamaProfile, 'OLLAMA_API_KEY', 'OLLAMA_BASE_URL'],
  ['vllm', vllmProfile, 'VLLM_API_KEY', 'VLLM_BASE_URL'],
]

/** What enables a provider without its key: the URL of an own server, or a sign-in. */
const enabledBy: Partial<Record<ProviderName, keyof Config>> = {
  ollama: 'OLLAMA_BASE_URL',
  vllm: 'VLLM_BASE_URL',
  azure: 'AZURE_CLIENT_SECRET',
  bedrock: 'BEDROCK_REGION',
}

/** Servers whose key is optional. */
const ownServers: ReadonlySet<ProviderName> = new Set(['ollama', 'vllm'])

/** Whether the settings enable a provider. */
export function isEnabled([name, , key]: OpenAiLike, config: Config): boolean {
  const other = enabledBy[name]
  const hasOther = other !== undefined && config[other] !== undefined
  return hasOther || (!ownServers.has(name) && config[key] !== undefined)
}

/** How the settings connect a provider. */
export type Connection = {
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly signIn?: SignIn
  readonly path?: (upstreamModel: string) => string
}

/** The connection of an enabled provider. A key is used before a sign-in. */
export function connectionOf([name, , key, url]: OpenAiLike, config: Config): Connection {
  const { [key]: apiKey, [url]: given } = config
  const baseUrl = given ?? (name === 'bedrock' ? bedrockBaseUrl(config) : undefined)
  const signIn = apiKey === undefined ? signIns[name]?.(config) : undefined
  const { AZURE_API_VERSION: version } = config
  return {
    ...(apiKey && { apiKey }),
    ...(baseUrl && { baseUrl }),
    ...(signIn && { signIn }),
    ...(name === 'azure' && version && { path: deploymentPath(version) }),
  }
}

const signIns: Partial<Record<ProviderName, (config: Config) => SignIn | undefined>> = {
  azure: azureSignIn,
  bedrock: bedrockSignIn,
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html */
function bedrockBaseUrl({ BEDROCK_REGION: region }: Config): string | undefined {
  return region === undefined
    ? undefined
    : `https://bedrock-runtime.${region}.amazonaws.com/openai/v1`
}

/** https://learn.microsoft.com/azure/ai-services/openai/reference: a model is a deployment. */
function deploymentPath(version: string): (upstreamModel: string) => string {
  const query = new URLSearchParams({ 'api-version': version }).toString()
  return (model) => `/deployments/${encodeURIComponent(model)}/chat/completions?${query}`
}
