import {
  freeSettings,
  httpUrl,
  type SettingTable,
  type SettingValues,
  setting,
  usdcAmount,
  whole,
  word,
} from '@farebox/free-endpoints/settings'
import { z } from 'zod'

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'must be 0x and 64 hexadecimal digits', abort: true })
  .refine(isSecretKey, 'must be a secret key of secp256k1: it is 0 or too large')
  .transform((key): `0x${string}` => `0x${key.slice(2).toLowerCase()}`)

/** 1 to the order of the curve less 1 (SEC 2, section 2.4.1). */
function isSecretKey(key: string): boolean {
  const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
  return BigInt(key) > 0n && BigInt(key) < order
}

const address = z
  .string()
  .regex(
    /^0x[0-9a-fA-F]{40}$/,
    'must be addresses, separated by commas: 0x and 40 hexadecimal digits',
  )
  .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`)
const addresses = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(address))

const providerKey = (name: string) =>
  setting(z.string().min(1).optional(), 'none', `key of ${name}; turns the provider on`)
const providerUrl = (name: string) =>
  setting(httpUrl.optional(), 'its own', `address of ${name}, version path included`)

/** Every environment variable that the gateway reads. `--help` is printed from this table. */
export const settings = {
  ...freeSettings,
  PORT: setting(
    whole(0, 65_535).default(4020),
    '4020',
    'listen port; 0 takes a free one and the log says which',
  ),
  DATA_DIR: setting(
    z.string().min(1).default('.farebox'),
    '.farebox',
    'devnet state, SQLite file, generated devnet keys',
  ),
  RPC_URL: setting(httpUrl.optional(), 'devnet: started by the gateway', 'Ethereum JSON-RPC'),
  TREASURY_PRIVATE_KEY: setting(
    privateKey.optional(),
    'devnet: generated',
    'receives payments and signs refunds; holds no ETH',
  ),
  RELAYER_PRIVATE_KEY: setting(
    privateKey.optional(),
    'devnet: generated',
    'pays gas for settlements and refunds',
  ),
  OWN_ACCOUNTS: setting(
    addresses.default([]),
    'none',
    'accounts that you move money of the treasury to, separated by commas; the audit explains it',
  ),
  FACILITATOR_URL: setting(httpUrl.optional(), 'in-process', 'a remote x402 facilitator'),
  CDP_API_KEY_ID: setting(z.string().min(1).optional(), 'none', 'use the facilitator of Coinbase'),
  CDP_API_KEY_SECRET: setting(z.string().min(1).optional(), 'none', 'its secret'),
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:PATH or postgres://…')
      .optional(),
    'sqlite: file in DATA_DIR',
    'the ledger: sqlite:PATH or postgres://…',
  ),
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
  CUSTOM_PROVIDER_BASE_URL: setting(httpUrl.optional(), 'none', 'any OpenAI-compatible server'),
  CUSTOM_PROVIDER_API_KEY: setting(
    z.string().min(1).optional(),
    'none',
    'its key, if it asks for one',
  ),
  CUSTOM_PROVIDER_MODELS: setting(
    z.string().min(1).optional(),
    'none',
    'a JSON file of its models and prices',
  ),
  SANDBOX_PROVIDER: setting(
    word(['on', 'off']).optional(),
    'on on the devnet without provider keys, else off',
    'a provider that answers by rule, offline, and says so; refused on base',
  ),
  REFUND_MIN_USDC: setting(
    usdcAmount.optional(),
    'computed from gas; each at once on the devnet',
    'refunds below it add up per payer',
  ),
  REFUND_MAX_DELAY_SECONDS: setting(
    whole(0, 31_536_000).default(86_400),
    '86400',
    'the longest that a refund adds up',
  ),
  REFUND_CONFIRMATIONS: setting(
    whole(1, 1000).optional(),
    'devnet 1, else 10',
    'how deep a settlement lies before its refund is sent',
  ),
  REFUND_CAP_USDC: setting(
    usdcAmount.optional(),
    'none',
    'no single refund may be larger; a larger one waits as blocked',
  ),
  REFUND_CAP_PER_HOUR_USDC: setting(
    usdcAmount.optional(),
    'none',
    'refunds stand still when more than this was sent in an hour',
  ),
  RESUME_SECONDS: setting(
    whole(0, 86_400).default(60),
    '60',
    'how long a settled payment that was not served waits for the identical request',
  ),
  REPLAY_SECONDS: setting(
    whole(0, 604_800).default(600),
    '600',
    'how long an answer is kept for the identical request; 0 keeps none',
  ),
  LEASE_SECONDS: setting(
    whole(2, 600).default(30),
    '30',
    'how long a payment in flight is left alone when its replica is silent',
  ),
  METRICS_PORT: setting(
    whole(0, 65_535).optional(),
    'off',
    'Prometheus metrics on a port of their own',
  ),
} as const satisfies SettingTable

export type Config = SettingValues<typeof settings>
