import { type Kysely, sql } from 'kysely'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto } from './wide-statements.ts'

type Name =
  | 'useVoucher'
  | 'freeVoucher'
  | 'callOf'
  | 'unusedMax'
  | 'smallestVoucher'
  | 'publishVoucher'

export function channelUseQueries(db: Kysely<LedgerDatabase>): Readonly<Record<Name, Query>> {
  const columns = ['channel_seq', 'max', 'signature', 'payment_id', 'free', 'published']
  const ofChannel = sql`channel_use.channel_seq = channel.seq and channel.id = ${place('id')}`
  return {
    useVoucher: compiled(
      'useVoucher',
      sql`${insertInto('channel_use', columns)} on conflict (channel_seq, max) do update
        set signature = excluded.signature, payment_id = excluded.payment_id, free = 0
        where channel_use.free = 1`.compile(db),
    ),
    freeVoucher: compiled(
      'freeVoucher',
      sql`update channel_use set free = 1
        where payment_id = ${place('payment_id')} and published = 0`.compile(db),
    ),
    callOf: compiled(
      'callOf',
      sql`select payment.* from channel cross join channel_use cross join payment
        where ${ofChannel} and channel_use.max = ${place('max')} and channel_use.free = 0
        and payment.id = channel_use.payment_id`.compile(db),
    ),
    // A voucher that is used is followed by others that are, and then by the first unused one. None
    // follows the greatest number of a column.
    unusedMax: compiled(
      'unusedMax',
      sql`select channel_use.max + 1 as max from channel cross join channel_use
        where ${ofChannel} and channel_use.max >= ${place('max')} and channel_use.free = 0
        and channel_use.max < 9223372036854775807
        and not exists (select 1 from channel_use as next
          where next.channel_seq = channel.seq and next.max = channel_use.max + 1 and next.free = 0)
        order by channel_use.max limit 1`.compile(db),
    ),
    smallestVoucher: compiled(
      'smallestVoucher',
      sql`select channel_seq, channel_use.max, channel_use.signature
        from channel cross join channel_use
        where ${ofChannel} and channel_use.max >= ${place('from')}
        order by channel_use.max limit 1`.compile(db),
    ),
    publishVoucher: compiled(
      'publishVoucher',
      sql`update channel_use set published = 1, free = 0
        where channel_seq = ${place('channel_seq')} and max = ${place('max')}`.compile(db),
    ),
  }
}
