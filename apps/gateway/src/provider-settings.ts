import { baseUrl, type SettingTable, setting } from '@farebox/settings'
import { z } from 'zod'

/** Keys are sent in headers. The error never repeats one. */
const headerText = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'is not a valid key: use ASCII characters, no spaces or line breaks')
  .optional()
const providerKey = (name: string) =>
  setting(headerText, 'none', `API key of ${name}; enables the provider`)
const providerUrl = (name: string) =>
  setting(baseUrl.optional(), 'its public URL', `URL of ${name}, including the version path`)
const ownUrl = (name: string, example: string) =>
  setting(baseUrl.optional(), 'none', `your URL of ${name}: ${example}`)
const serverUrl = (name: string, example: string) =>
  setting(baseUrl.optional(), 'none', `URL of ${name}, such as ${example}; enables the provider`)
const serverKey = (name: string) =>
  setting(headerText, 'none', `API key of ${name}, if it requires one`)

/** A part of a host name. */
const region = z.string().regex(/^[a-zA-Z0-9-]+$/, 'must be letters, digits and hyphens')

/** The keys and addresses of the providers. */
export const providerSettings = {
  OPENROUTER_API_KEY: providerKey('OpenRouter'),
  OPENROUTER_BASE_URL: providerUrl('OpenRouter'),
  OPENAI_API_KEY: providerKey('OpenAI'),
  OPENAI_BASE_URL: providerUrl('OpenAI'),
  ANTHROPIC_API_KEY: providerKey('Anthropic'),
  ANTHROPIC_BASE_URL: providerUrl('Anthropic'),
  GEMINI_API_KEY: providerKey('Gemini'),
  GEMINI_BASE_URL: providerUrl('Gemini'),
  XAI_API_KEY: providerKey('xAI'),
  XAI_BASE_URL: providerUrl('xAI'),
  DEEPSEEK_API_KEY: providerKey('DeepSeek'),
  DEEPSEEK_BASE_URL: providerUrl('DeepSeek'),
  MISTRAL_API_KEY: providerKey('Mistral'),
  MISTRAL_BASE_URL: providerUrl('Mistral'),
  GROQ_API_KEY: providerKey('Groq'),
  GROQ_BASE_URL: providerUrl('Groq'),
  TOGETHER_API_KEY: providerKey('Together'),
  TOGETHER_BASE_URL: providerUrl('Together'),
  FIREWORKS_API_KEY: providerKey('Fireworks'),
  FIREWORKS_BASE_URL: providerUrl('Fireworks'),
  CEREBRAS_API_KEY: providerKey('Cerebras'),
  CEREBRAS_BASE_URL: providerUrl('Cerebras'),
  MOONSHOT_API_KEY: providerKey('Moonshot'),
  MOONSHOT_BASE_URL: providerUrl('Moonshot'),
  RUNWARE_API_KEY: providerKey('Runware'),
  RUNWARE_BASE_URL: providerUrl('Runware'),
  ZAI_API_KEY: providerKey('Z.ai'),
  ZAI_BASE_URL: providerUrl('Z.ai'),
  ALIBABA_API_KEY: providerKey('Alibaba Cloud (Qwen)'),
  ALIBABA_BASE_URL: providerUrl('Alibaba Cloud (Qwen)'),
  MINIMAX_API_KEY: providerKey('MiniMax'),
  MINIMAX_BASE_URL: providerUrl('MiniMax'),
  PERPLEXITY_API_KEY: providerKey('Perplexity'),
  PERPLEXITY_BASE_URL: providerUrl('Perplexity'),
  COHERE_API_KEY: providerKey('Cohere'),
  COHERE_BASE_URL: providerUrl('Cohere'),
  DEEPINFRA_API_KEY: providerKey('DeepInfra'),
  DEEPINFRA_BASE_URL: providerUrl('DeepInfra'),
  SAMBANOVA_API_KEY: providerKey('SambaNova'),
  SAMBANOVA_BASE_URL: providerUrl('SambaNova'),
  NEBIUS_API_KEY: providerKey('Nebius'),
  NEBIUS_BASE_URL: providerUrl('Nebius'),
  NOVITA_API_KEY: providerKey('Novita'),
  NOVITA_BASE_URL: providerUrl('Novita'),
  HUGGINGFACE_API_KEY: providerKey("Hugging Face's router"),
  HUGGINGFACE_BASE_URL: providerUrl("Hugging Face's router"),
  NVIDIA_API_KEY: providerKey('NVIDIA'),
  NVIDIA_BASE_URL: providerUrl('NVIDIA'),
  VERTEX_API_KEY: providerKey('Google Vertex AI in express mode'),
  VERTEX_BASE_URL: providerUrl('Google Vertex AI'),
  VERTEX_PROJECT: setting(
    z.string().min(1).optional(),
    'none',
    'Google Cloud project; enables Google Vertex AI with the credentials of a service account',
  ),
  VERTEX_LOCATION: setting(region.default('global'), 'global', 'location of its models'),
  GOOGLE_APPLICATION_CREDENTIALS: setting(
    z.string().min(1).optional(),
    'those of the machine',
    'JSON file of a service account, or of a workload identity, for VERTEX_PROJECT',
  ),
  CLOUDFLARE_API_KEY: providerKey('Cloudflare Workers AI'),
  CLOUDFLARE_BASE_URL: ownUrl(
    'Cloudflare Workers AI',
    'https://api.cloudflare.com/client/v4/accounts/ACCOUNT/ai/v1',
  ),
  AZURE_API_KEY: providerKey('Azure OpenAI'),
  AZURE_BASE_URL: ownUrl('Azure OpenAI', 'https://RESOURCE.openai.azure.com/openai/v1'),
  AZURE_API_VERSION: setting(
    z.string().min(1).optional(),
    'none',
    'api-version of an Azure OpenAI address that ends in /openai; without it, the v1 API is called',
  ),
  AZURE_TENANT_ID: setting(
    z.string().min(1).optional(),
    'none',
    'Microsoft Entra tenant of AZURE_CLIENT_ID',
  ),
  AZURE_CLIENT_ID: setting(
    z.string().min(1).optional(),
    'none',
    'application that signs in to Azure OpenAI, instead of AZURE_API_KEY',
  ),
  AZURE_CLIENT_SECRET: setting(z.string().min(1).optional(), 'none', 'secret of AZURE_CLIENT_ID'),
  AZURE_AUTHORITY_HOST: setting(
    baseUrl.default('https://login.microsoftonline.com'),
    'https://login.microsoftonline.com',
    'where AZURE_CLIENT_ID signs in',
  ),
  BEDROCK_API_KEY: providerKey('Amazon Bedrock'),
  BEDROCK_REGION: setting(
    region.optional(),
    'none',
    'AWS region; enables Amazon Bedrock with signed requests, instead of BEDROCK_API_KEY',
  ),
  AWS_ACCESS_KEY_ID: setting(headerText, 'none', 'access key for BEDROCK_REGION'),
  AWS_SECRET_ACCESS_KEY: setting(headerText, 'none', 'secret of AWS_ACCESS_KEY_ID'),
  AWS_SESSION_TOKEN: setting(headerText, 'none', 'session token of temporary credentials'),
  BEDROCK_BASE_URL: ownUrl('Amazon Bedrock', 'https://bedrock-mantle.REGION.api.aws/v1'),
  OLLAMA_BASE_URL: serverUrl('Ollama', 'http://127.0.0.1:11434/v1'),
  OLLAMA_API_KEY: serverKey('Ollama'),
  VLLM_BASE_URL: serverUrl('vLLM', 'http://127.0.0.1:8000/v1'),
  VLLM_API_KEY: serverKey('vLLM'),
  CUSTOM_PROVIDER_BASE_URL: setting(
    baseUrl.optional(),
    'none',
    'URL of an OpenAI-compatible server',
  ),
  CUSTOM_PROVIDER_API_KEY: setting(
    headerText,
    'none',
    'API key of that server, if it requires one',
  ),
  CUSTOM_PROVIDER_MODELS: setting(
    z.string().min(1).optional(),
    'none',
    'JSON file of the models and prices of that server',
  ),
  CUSTOM_PROVIDERS: setting(
    z.string().min(1).optional(),
    'none',
    'JSON file of further OpenAI-compatible servers, each with its models and prices',
  ),
} as const satisfies SettingTable
