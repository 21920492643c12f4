import { type Kysely, sql } from 'kysely'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'

type Name =
  | 'holdFree'
  | 'giveBackFree'
  | 'freeUsed'
  | 'addFreeUse'
  | 'freeUseByDay'
  | 'pruneFreeQuota'

export function freeQuotaQueries(db: Kysely<LedgerDatabase>): Readonly<Record<Name, Query>> {
  const [day, address, amount] = [place('day'), place('address'), place('amount')]
  return {
    // Writes no row if the sum would pass the limit; the first row of a day is within it.
    holdFree: compiled(
      'holdFree',
      sql`insert into free_quota (day, address, used) values (${day}, ${address}, ${amount})
        on conflict (day, address) do update set used = free_quota.used + excluded.used
        where free_quota.used + excluded.used <= ${place('limit')}`.compile(db),
    ),
    giveBackFree: compiled(
      'giveBackFree',
      sql`update free_quota set used = used - ${amount}
        where day = ${day} and address = ${address}`.compile(db),
    ),
    freeUsed: compiled(
      'freeUsed',
      sql`select used from free_quota where day = ${day} and address = ${address}`.compile(db),
    ),
    addFreeUse: compiled(
      'addFreeUse',
      sql`insert into free_use (day, model, calls, cost, provider_cost)
        values (${day}, ${place('model')}, 1, ${place('cost')}, ${place('provider_cost')})
        on conflict (day, model) do update set calls = free_use.calls + 1,
          cost = free_use.cost + excluded.cost,
          provider_cost = free_use.provider_cost + excluded.provider_cost`.compile(db),
    ),
    freeUseByDay: compiled(
      'freeUseByDay',
      sql`select * from free_use where day >= ${place('from')} and day < ${place('to')}
        order by day, model`.compile(db),
    ),
    pruneFreeQuota: compiled(
      'pruneFreeQuota',
      sql`delete from free_quota where day <= ${place('before')}`.compile(db),
    ),
  }
}
