import { httpUrl, type SettingTable, setting } from '@farebox/settings'
import { z } from 'zod'

const providerKey = (name: string) =>
  setting(z.string().min(1).optional(), 'none', `API key of ${name}; enables the provider`)
const providerUrl = (name: string) =>
  setting(httpUrl.optional(), 'its public URL', `URL of ${name}, including the version path`)
const ownUrl = (name: string, example: string) =>
  setting(httpUrl.optional(), 'none', `your URL of ${name}: ${example}`)
const serverUrl = (name: string, example: string) =>
  setting(httpUrl.optional(), 'none', `URL of ${name}, such as ${example}; enables the provider`)
const serverKey = (name: string) =>
  setting(z.string().min(1).optional(), 'none', `API key of ${name}, if it requires one`)

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
  CLOUDFLARE_API_KEY: providerKey('Cloudflare Workers AI'),
  CLOUDFLARE_BASE_URL: ownUrl(
    'Cloudflare Workers AI',
    'https://api.cloudflare.com/client/v4/accounts/ACCOUNT/ai/v1',
  ),
  AZURE_API_KEY: providerKey('Azure OpenAI'),
  AZURE_BASE_URL: ownUrl('Azure OpenAI', 'https://RESOURCE.openai.azure.com/openai/v1'),
  BEDROCK_API_KEY: providerKey('Amazon Bedrock'),
  BEDROCK_BASE_URL: ownUrl('Amazon Bedrock', 'https://bedrock-mantle.REGION.api.aws/v1'),
  OLLAMA_BASE_URL: serverUrl('Ollama', 'http://127.0.0.1:11434/v1'),
  OLLAMA_API_KEY: serverKey('Ollama'),
  VLLM_BASE_URL: serverUrl('vLLM', 'http://127.0.0.1:8000/v1'),
  VLLM_API_KEY: serverKey('vLLM'),
  CUSTOM_PROVIDER_BASE_URL: setting(
    httpUrl.optional(),
    'none',
    'URL of an OpenAI-compatible server',
  ),
  CUSTOM_PROVIDER_API_KEY: setting(
    z.string().min(1).optional(),
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
