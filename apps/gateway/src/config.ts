import { readFileSync } from 'node:fs'
import { formatUsdc } from '@farebox/money'
import {
  describeSettings,
  namesIn,
  readSettingFiles,
  readSettings,
  settingWarnings,
} from '@farebox/settings'
import { catalogProblems, tokenizerProblems } from '@farebox/storefront/settings'
import { privateKeyToAddress } from 'viem/accounts'
import { readPayerLimits } from './compose/read-payer-limits.ts'
import { type Config, settings } from './settings.ts'
import { unusedSettings } from './unused-settings.ts'

/** The configuration, or all its problems, one sentence each. */
export type ParsedConfig = { readonly warnings: readonly string[] } & (
  | { readonly status: 'valid'; readonly config: Config }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }
)

/** Parses the environment: the only place in the gateway that reads it. */
export function readConfig(environment: Readonly<NodeJS.ProcessEnv> = process.env): ParsedConfig {
  const files = readSettingFiles(settings, environment, (path) => readFileSync(path, 'utf8'))
  const read = readSettings(settings, files.environment, (config) => [
    ...files.problems,
    ...contradictions(config).filter((text) => !namesFileOf(files.problems, text)),
  ])
  const warnings = [...settingWarnings(settings, environment), ...unusedSettings(environment)]
  return read.status === 'valid'
    ? { status: 'valid', config: read.values, warnings }
    : { ...read, warnings }
}

/** A setting whose file cannot be read is not missing, so nothing may say that it is. */
function namesFileOf(fileProblems: readonly string[], text: string): boolean {
  return namesIn(text).some((name) =>
    fileProblems.some((problem) => problem.startsWith(`${name}_FILE `)),
  )
}

function contradictions(config: Config): readonly string[] {
  const problems = [
    ...catalogProblems(config, Date.now()),
    ...tokenizerProblems(config),
    ...readPayerLimits(config.PAYER_LIMITS).problems.map((text) => `PAYER_LIMITS: ${text}`),
  ]
  problems.push(...keyContradictions(config))
  if ((config.CDP_API_KEY_ID === undefined) !== (config.CDP_API_KEY_SECRET === undefined)) {
    problems.push('CDP_API_KEY_ID and CDP_API_KEY_SECRET must be set together.')
  }
  if (config.NETWORK === 'base' && config.SANDBOX_PROVIDER === 'on') {
    problems.push(
      'SANDBOX_PROVIDER must not be on with NETWORK=base: customers would pay real money for sandbox output.',
    )
  }
  if (
    config.CUSTOM_PROVIDER_BASE_URL !== undefined &&
    config.CUSTOM_PROVIDER_MODELS === undefined
  ) {
    problems.push(
      'CUSTOM_PROVIDER_MODELS is required with CUSTOM_PROVIDER_BASE_URL: its models need prices.',
    )
  }
  if (config.METRICS_PORT === config.PORT && config.PORT !== 0) {
    problems.push('METRICS_PORT must differ from PORT: metrics are not for clients.')
  }
  problems.push(...providerContradictions(config), ...freeQuotaContradictions(config))
  return problems
}

function freeQuotaContradictions({
  FREE_QUOTA_USDC: perAddress,
  FREE_QUOTA_TOTAL_USDC: inAll,
  MIN_CHARGE_USDC: minimum,
}: Config): readonly string[] {
  if (perAddress === undefined) return []
  if (perAddress < minimum) {
    return [
      `FREE_QUOTA_USDC must be at least MIN_CHARGE_USDC, ${formatUsdc(minimum)}: no call costs less.`,
    ]
  }
  return inAll < perAddress
    ? ['FREE_QUOTA_TOTAL_USDC must be at least FREE_QUOTA_USDC: it is for all addresses together.']
    : []
}

function keyContradictions(config: Config): readonly string[] {
  const { NETWORK, RPC_URL, FACILITATOR_URL, CDP_API_KEY_ID, CHANNELS } = config
  const problems: string[] = []
  for (const owner of ['TREASURY', 'RELAYER'] as const) {
    const [key, module] = [`${owner}_PRIVATE_KEY`, `${owner}_ACCOUNT_MODULE`] as const
    if (config[key] !== undefined && config[module] !== undefined) {
      problems.push(`${key} and ${module} must not be set together.`)
    }
  }
  if (sameKey(config)) problems.push('RELAYER_PRIVATE_KEY must differ from TREASURY_PRIVATE_KEY.')
  if (NETWORK === 'devnet') return problems
  if (RPC_URL === undefined) problems.push(`RPC_URL is required with NETWORK=${NETWORK}.`)
  if ((config.TREASURY_PRIVATE_KEY ?? config.TREASURY_ACCOUNT_MODULE) === undefined) {
    problems.push(`TREASURY_PRIVATE_KEY is required with NETWORK=${NETWORK}.`)
  }
  if ((config.RELAYER_PRIVATE_KEY ?? config.RELAYER_ACCOUNT_MODULE) !== undefined) return problems
  if (FACILITATOR_URL === undefined && CDP_API_KEY_ID === undefined) {
    problems.push(
      `RELAYER_PRIVATE_KEY is required with NETWORK=${NETWORK} unless FACILITATOR_URL or CDP_API_KEY_ID is set.`,
    )
  }
  if (CHANNELS === 'on') {
    problems.push(
      'RELAYER_PRIVATE_KEY is required with CHANNELS=on: claims and refunds of payment channels are sent by this process.',
    )
  }
  return problems
}

/** Credentials that only make sense together. */
const together = [
  ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'],
  ['BEDROCK_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
] as const

function providerContradictions(config: Config): readonly string[] {
  const problems = together.flatMap((names) => {
    const [first] = names
    if (config[first] === undefined) return []
    const missing = names.filter((name) => config[name] === undefined)
    return missing.map((name) => `${name} is required with ${first}.`)
  })
  if (config.AZURE_CLIENT_SECRET !== undefined && config.AZURE_BASE_URL === undefined) {
    problems.push('AZURE_BASE_URL is required with AZURE_CLIENT_SECRET.')
  }
  for (const name of ['AZURE', 'BEDROCK', 'CLOUDFLARE'] as const) {
    const [key, url] = [`${name}_API_KEY`, `${name}_BASE_URL`] as const
    if (config[key] !== undefined && config[url] === undefined) {
      problems.push(`${url} is required with ${key}: the URL belongs to your account.`)
    }
  }
  return problems
}

function sameKey({
  TREASURY_PRIVATE_KEY: treasury,
  RELAYER_PRIVATE_KEY: relayer,
}: Config): boolean {
  return (
    treasury !== undefined &&
    relayer !== undefined &&
    privateKeyToAddress(treasury) === privateKeyToAddress(relayer)
  )
}

const commandList = `  serve                   run the gateway until SIGTERM or Ctrl-C (the default)
  ledger export           print every payment as a line of JSON
  ledger export channels  print every payment channel, then what moved in them
  ledger export gas       print what the relayer paid for gas, by day and purpose
  ledger backup FILE      copy the ledger to a file while the gateway runs
  ledger restore FILE     restore the ledger from a copy, unless one exists
  console                 serve the operator's console: money, payments, refunds
  audit                   compare the ledger with the chain
  doctor                  check the configuration against the real dependencies
  refund list             list blocked and written-off refunds
  refund write-off NONCE  write off a refund that its payee cannot receive
  refund retry NONCE      retry a refund now, or reinstate one that was written off
  --version               print the version`

/** Whether a command begins with this word; the arguments after it may still be wrong. */
export function isCommand(word = ''): boolean {
  return commandList.split('\n').some((line) => line.startsWith(`  ${word} `))
}

/** The error text of an unknown command. */
export function usageText(): string {
  return `Commands:\n${commandList}\n\n--help lists the environment variables too.\n`
}

/** What `--help` prints. */
export function helpText(): string {
  return `Usage: node apps/gateway/dist/main.js [COMMAND]

Commands:
${commandList}

Environment variables. For a value in a file, such as a mounted secret, set NAME_FILE to its path:
${describeSettings(settings)}
`
}
