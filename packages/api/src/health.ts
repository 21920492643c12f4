import { z } from 'zod'

/** Everything that keeps a service from being `ok`. */
const healthIssues = [
  'stopping',
  'sales_stopped',
  'chain_unavailable',
  'chain_wrong',
  'database_unavailable',
  'facilitator_unavailable',
  'redis_unavailable',
  'channels_stopped',
  'refunds_paused',
  'rows_unreadable',
  'provider_key_rejected',
  'models_unavailable',
  'operator_files_refused',
] as const

const providerStates = ['ok', 'probing', 'unavailable', 'key_rejected'] as const

/** The response of `GET /v1/health`. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  timestamp: z.iso.datetime(),
  issues: z
    .array(z.enum(healthIssues))
    .optional()
    .describe('What is wrong if the status is not ok'),
  dependencies: z
    .record(z.string(), z.enum(['ok', 'unavailable', 'wrong', 'low', 'unknown']))
    .optional()
    .describe(
      'The state of what the service depends on: node, database, accounts (unknown until their balances are read)',
    ),
  providers: z
    .record(z.string(), z.enum(providerStates))
    .optional()
    .describe('The state of each provider: probing until one call succeeds again'),
})

/** The response of `GET /health`. */
export const networkHealthSchema = healthSchema.extend({
  network: z.string(),
  mainnet: z.boolean(),
  cdp: z.string(),
})

/** The response of `GET /ready`: whether the service takes requests now. */
export const readinessSchema = z.object({
  ready: z.boolean(),
  issues: z.array(z.enum(healthIssues)).optional(),
})

/** Whether calls go to a provider. */
export type ProviderState = (typeof providerStates)[number]
/** The response of `GET /v1/health`. */
export type Health = z.output<typeof healthSchema>
/** The response of `GET /health`. */
export type NetworkHealth = z.output<typeof networkHealthSchema>
/** The response of `GET /ready`. */
export type Readiness = z.output<typeof readinessSchema>
