import { isIP } from 'node:net'
import { parseUsdc, type Usdc } from '@farebox/money'
import { z } from 'zod'
import { vocabularyPaths } from './tokens/vocabulary-paths.ts'

export {
  type CatalogSettings,
  catalogProblems,
  type ReadCatalog,
  readCatalog,
} from './catalog/read-catalog.ts'
export { type TokenizerSettings, tokenizerProblems } from './tokens/read-tokenizer-files.ts'
export type { VocabularyPaths } from './tokens/vocabulary-paths.ts'

/** One environment variable: how it is read, its default in words, and what it means. */
export type Setting<Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema
  readonly shownDefault: string
  readonly meaning: string
}

export type SettingTable = Readonly<Record<string, Setting>>

/** What a table of settings reads out of an environment. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['schema']>
}

/** The values, or everything that is wrong with them, one sentence each. */
export type ReadSettings<Table extends SettingTable> =
  | { readonly status: 'valid'; readonly values: SettingValues<Table> }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/**
 * Reads a table of settings from an environment. An empty variable counts as unset. `contradictions`
 * says what is wrong with values that are good each by itself; it is asked even when others are not,
 * with those at their defaults, so that everything is reported at once.
 */
export function readSettings<Table extends SettingTable>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>,
  contradictions: (values: SettingValues<Table>) => readonly string[] = () => [],
): ReadSettings<Table> {
  const read = readEach(table, environment)
  if (read.status === 'valid') {
    const problems = contradictions(read.values)
    return problems.length === 0 ? read : { status: 'invalid', problems }
  }
  const isReported = (name: string): boolean =>
    read.problems.some((text) => text.startsWith(`${name} `))
  const good = Object.entries(environment).filter(([name]) => !isReported(name))
  const rest = readEach(table, Object.fromEntries(good))
  const more = rest.status === 'valid' ? contradictions(rest.values) : []
  const news = more.filter((text) => !isReported(text.split(' ')[0] ?? ''))
  return { status: 'invalid', problems: [...read.problems, ...news] }
}

function readEach<Table extends SettingTable>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings<Table> {
  const results = Object.entries(table).map(([name, { schema }]) => {
    const text = environment[name]
    return { name, result: schema.safeParse(text === '' ? undefined : text) }
  })
  const problems = results.flatMap(({ name, result }) =>
    (result.error?.issues ?? []).map(({ message }) => `${name} ${message}.`),
  )
  if (problems.length > 0) return { status: 'invalid', problems }
  const values = Object.fromEntries(results.map(({ name, result }) => [name, result.data]))
  return { status: 'valid', values: values as SettingValues<Table> }
}

/** A table of settings as `--help` prints it. */
export function describeSettings(table: SettingTable): string {
  return Object.entries(table)
    .map(
      ([name, { shownDefault, meaning }]) =>
        `  ${name.padEnd(30)} ${meaning} (default: ${shownDefault})`,
    )
    .join('\n')
}

/** Defines a setting. */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  shownDefault: string,
  meaning: string,
): Setting<Schema> {
  return { schema, shownDefault, meaning }
}

/** A whole number within bounds. */
export function whole(min: number, max: number) {
  const bounds = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, bounds)
    .transform(Number)
    .pipe(z.int().min(min, bounds).max(max, bounds))
}

/** An http or https address. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

/** An amount of USDC. */
export const usdcAmount = z.string().transform((text, context): Usdc => {
  try {
    return parseUsdc(text)
  } catch {
    context.addIssue('must be an amount of USDC such as 0.001, with at most 6 decimals')
    return z.NEVER
  }
})

const trustedProxies = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim())
  for (const name of names) {
    if (/^\d*$/.test(name)) {
      context.addIssue(
        'must not be a count of proxies: anyone who connects directly could forge an address',
      )
    } else if (!/^(loopback|linklocal|uniquelocal)$/.test(name) && !isNetwork(name)) {
      context.addIssue(
        `has ${JSON.stringify(name)}; give loopback, linklocal, uniquelocal, addresses or CIDR ranges`,
      )
    }
  }
  return names
})

/** An address, or a range in CIDR notation; that of all addresses would believe anyone. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** One of a few words. */
export function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
}

/** What an app needs to know to offer the free endpoints. */
export const freeSettings = {
  HOST: setting(z.string().min(1).default('127.0.0.1'), '127.0.0.1', 'listen address'),
  PUBLIC_URL: setting(
    httpUrl.optional(),
    'from host and port',
    'what payment requirements name as resource',
  ),
  NETWORK: setting(
    word(['devnet', 'base-sepolia', 'base']).default('devnet'),
    'devnet',
    'devnet, base-sepolia or base',
  ),
  REDIS_URL: setting(
    z.url({ protocol: /^rediss?$/, error: 'must be a redis:// address' }).optional(),
    'in memory',
    'rate limits shared by all replicas',
  ),
  DEFAULT_CHAT_MODEL: setting(
    z.string().min(1).optional(),
    'a model of the catalog',
    'used when a request names none',
  ),
  DEFAULT_IMAGE_MODEL: setting(
    z.string().min(1).optional(),
    'a model of the catalog',
    'used when a request names none',
  ),
  CATALOG_OVERRIDES: setting(
    z.string().min(1).optional(),
    'none',
    'a JSON file: models to add, change or hide',
  ),
  CATALOG_REFRESH: setting(
    z.enum(['on', 'off']).default('off'),
    'off',
    'on reads newer chat prices from models.dev and OpenRouter; CATALOG_OVERRIDES outranks them',
  ),
  CATALOG_REFRESH_MINUTES: setting(whole(1, 10_080).default(60), '60', 'how often they are read'),
  CATALOG_REFRESH_MODELS_DEV_URL: setting(
    httpUrl.optional(),
    'its own',
    'address of the price list of models.dev',
  ),
  CATALOG_REFRESH_OPENROUTER_URL: setting(
    httpUrl.optional(),
    'its own',
    'address of the price list of OpenRouter',
  ),
  TOKENIZER_VOCABULARIES: setting(
    vocabularyPaths.optional(),
    'none',
    'llama3=FILE,gemma3=FILE: vocabularies of your own that make the counts of Llama 3 and Gemini exact',
  ),
  TOKENIZER_FACTORS: setting(
    z.string().min(1).optional(),
    'none',
    'a JSON file of calibrated factors by counter, in place of those shipped',
  ),
  PRICE_BUFFER_BPS: setting(
    whole(0, 100_000).default(1000),
    '1000',
    'safety buffer on the quoted maximum, in basis points',
  ),
  MARKUP_BPS: setting(
    whole(0, 1_000_000).default(0),
    '0',
    'margin of the operator, in basis points',
  ),
  MIN_CHARGE_USDC: setting(
    usdcAmount.refine((amount) => amount > 0n, 'must be more than 0').default(parseUsdc('0.001')),
    '0.001',
    'the least that a paid call is quoted at and costs',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    whole(1, 1_000_000).default(100),
    '100',
    'requests of one client address in any 60 seconds',
  ),
  TRUST_PROXY: setting(
    trustedProxies.default(['loopback', 'linklocal', 'uniquelocal']),
    'loopback, linklocal, uniquelocal',
    'whose X-Forwarded-For is believed: names or CIDR ranges',
  ),
  LOG_LEVEL: setting(
    word(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'info',
    'pino level; JSON lines on standard output',
  ),
} as const satisfies SettingTable
