import { specifiedLimits, widestLimits } from '@farebox/api'
import { parseUsdc, type Usdc } from '@farebox/money'
import { httpUrl, integer, oneOf, type SettingTable, setting } from '@farebox/settings'
import { z } from 'zod'
import { vocabularyPaths } from './tokens/vocabulary-paths.ts'

export { catalogProblems } from './catalog/read-catalog.ts'
export { tokenizerProblems } from './tokens/read-tokenizer-files.ts'

/** More would not fit the integers of the databases, and each call that is compared with it would fail. */
const highestAmount = parseUsdc('1000000000000')

/** An amount of USDC. */
export const usdcAmount = z
  .string()
  .transform((text, context): Usdc => {
    try {
      return parseUsdc(text)
    } catch {
      context.addIssue(
        `is not a valid amount of USDC: ${JSON.stringify(text)}. Use a decimal such as 0.001, with at most 6 decimals`,
      )
      return z.NEVER
    }
  })
  .refine((amount) => amount <= highestAmount, {
    error: 'must be at most 1000000000000 USDC',
    abort: true,
  })

/** A larger minimum is one in atomic units by mistake: 1000 for 0.001. */
const highestMinimum = parseUsdc('100')

/** The minimum cost of a call. */
export const minimumCharge = usdcAmount.refine(
  (amount) => amount > 0n && amount <= highestMinimum,
  'must be from 0.000001 to 100 USDC, not in atomic units',
)

/** A password would not be sent, and every refresh would log it. */
const feedUrl = httpUrl.regex(
  /^https?:\/\/[^/@?#]+([/?#]|$)/i,
  'must have no user name or password: none is sent',
)

/** The settings of what is for sale, and on which terms. */
export const storefrontSettings = {
  NETWORK: setting(
    oneOf(['devnet', 'base-sepolia', 'base']).default('devnet'),
    'devnet',
    'chain of the payments: devnet, base-sepolia or base',
  ),
  DEFAULT_CHAT_MODEL: setting(
    z.string().min(1).optional(),
    'a model of the catalog',
    'chat model of a request that names none',
  ),
  DEFAULT_IMAGE_MODEL: setting(
    z.string().min(1).optional(),
    'a model of the catalog',
    'image model of a request that names none',
  ),
  CATALOG_OVERRIDES: setting(
    z.string().min(1).optional(),
    'none',
    'JSON file of models to add, change or hide',
  ),
  CATALOG_REFRESH: setting(
    oneOf(['on', 'off']).default('off'),
    'off',
    'on: refresh chat prices from models.dev and OpenRouter; CATALOG_OVERRIDES takes precedence',
  ),
  CATALOG_REFRESH_MINUTES: setting(
    integer(1, 10_080).default(60),
    '60',
    'minutes between two refreshes of the prices',
  ),
  CATALOG_REFRESH_MODELS_DEV_URL: setting(
    feedUrl.optional(),
    'its public URL',
    'URL of the models.dev price list',
  ),
  CATALOG_REFRESH_OPENROUTER_URL: setting(
    feedUrl.optional(),
    'its public URL',
    'URL of the OpenRouter price list',
  ),
  TOKENIZER_VOCABULARIES: setting(
    vocabularyPaths.optional(),
    'none',
    'llama3=FILE,gemma3=FILE: your own vocabularies, for exact counts of Llama 3, Gemini 2.5 and 3',
  ),
  TOKENIZER_FACTORS: setting(
    z.string().min(1).optional(),
    'none',
    'JSON file of calibrated factors by counter, instead of the shipped ones',
  ),
  MAX_MESSAGES: setting(
    integer(specifiedLimits.messages, widestLimits.messages).default(specifiedLimits.messages),
    `${specifiedLimits.messages}`,
    `maximum messages of a chat completion, up to ${widestLimits.messages}; the other interfaces always allow that many`,
  ),
  PRICE_BUFFER_BPS: setting(
    integer(0, 100_000).default(1000),
    '1000',
    'safety buffer on the quoted maximum, in basis points',
  ),
  MARKUP_BPS: setting(
    integer(0, 1_000_000).default(0),
    '0',
    'your margin on the provider price, in basis points',
  ),
  MIN_CHARGE_USDC: setting(
    minimumCharge.default(parseUsdc('0.001')),
    '0.001',
    'minimum quote and cost of a paid call',
  ),
} as const satisfies SettingTable
