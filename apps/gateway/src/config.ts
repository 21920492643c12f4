import {
  catalogProblems,
  describeSettings,
  readSettings,
  tokenizerProblems,
} from '@farebox/free-endpoints/settings'
import { privateKeyToAddress } from 'viem/accounts'
import { type Config, settings } from './settings.ts'

/** The configuration, or everything that is wrong with it, one sentence each. */
export type ParsedConfig =
  | { readonly status: 'valid'; readonly config: Config }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads and validates the environment: the only place of the gateway that does. */
export function readConfig(environment: Readonly<NodeJS.ProcessEnv> = process.env): ParsedConfig {
  const read = readSettings(settings, environment, contradictions)
  return read.status === 'valid' ? { status: 'valid', config: read.values } : read
}

function contradictions(config: Config): readonly string[] {
  const problems = [...catalogProblems(config, Date.now()), ...tokenizerProblems(config)]
  const live = config.NETWORK !== 'devnet'
  const needed = ['RPC_URL', 'TREASURY_PRIVATE_KEY'] as const
  for (const name of needed) {
    if (live && config[name] === undefined)
      problems.push(`${name} is required with NETWORK=${config.NETWORK}.`)
  }
  const remote = config.FACILITATOR_URL !== undefined || config.CDP_API_KEY_ID !== undefined
  if (live && !remote && config.RELAYER_PRIVATE_KEY === undefined) {
    problems.push(
      `RELAYER_PRIVATE_KEY is required with NETWORK=${config.NETWORK} unless FACILITATOR_URL or CDP_API_KEY_ID names a facilitator.`,
    )
  }
  if (sameKey(config)) problems.push('RELAYER_PRIVATE_KEY must differ from TREASURY_PRIVATE_KEY.')
  if ((config.CDP_API_KEY_ID === undefined) !== (config.CDP_API_KEY_SECRET === undefined)) {
    problems.push('CDP_API_KEY_ID and CDP_API_KEY_SECRET must be given together.')
  }
  if (config.NETWORK === 'base' && config.SANDBOX_PROVIDER === 'on') {
    problems.push(
      'SANDBOX_PROVIDER must not be on with NETWORK=base: real money would buy no model.',
    )
  }
  if (
    config.CUSTOM_PROVIDER_BASE_URL !== undefined &&
    config.CUSTOM_PROVIDER_MODELS === undefined
  ) {
    problems.push(
      'CUSTOM_PROVIDER_MODELS is required with CUSTOM_PROVIDER_BASE_URL: without prices nothing can be sold.',
    )
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

/** What `--help` prints. */
export function helpText(): string {
  return `Usage: node apps/gateway/dist/main.js [COMMAND]

Commands:
  serve                   the gateway, until SIGTERM or Ctrl-C; what runs when none is named
  ledger export           every payment as a JSON line
  audit                   what the chain and the ledger say differently
  doctor                  the configuration against the real dependencies
  refund list             refunds that cannot be delivered, and those that were written off
  refund write-off NONCE  gives one up that its payee cannot take
  refund retry NONCE      tries one at once, or owes one again that was written off

Environment variables:
${describeSettings(settings)}
`
}
