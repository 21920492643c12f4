import type { SqlDialect } from './schema.ts'

/**
 * What providers bill, beside what is charged. It is not known of payments from before, nor of the
 * days that were summed up then.
 */
export function providerCosts(dialect: SqlDialect): readonly string[] {
  const whole = dialect === 'sqlite' ? 'integer' : 'bigint'
  return [
    `alter table payment add column provider_cost ${whole} check (provider_cost >= 0)`,
    `alter table daily_revenue add column provider_cost ${whole} not null default 0`,
    `alter table daily_revenue add column unknown_costs ${whole} not null default 0`,
    'update daily_revenue set unknown_costs = payments',
  ]
}
