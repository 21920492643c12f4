import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ChannelsDue } from '../../store/channel-store.ts'
import { inFlight } from '../schema/bound-payers.ts'
import { isLive } from '../schema/channel-tables.ts'
import type { LedgerDatabase, SqlDialect } from '../schema/schema.ts'
import { leaseEnd } from '../schema/steady-rounds.ts'
import { type NarrowUpdate, narrowUpdate } from './narrow-update.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto, limitPlace, wholeOf } from './wide-statements.ts'

const stateNames = [
  'status',
  'reason',
  'version',
  'deposited',
  'returned',
  'charged',
  'reserved',
  'signed',
  'signature',
  'claimed',
  'unclaimed_since',
  'refund_nonce',
  'withdraw_at',
  'seen_block',
  'updated_at',
]
const columnNames = [
  'id',
  'chain_id',
  'payer',
  'payer_authorizer',
  'receiver',
  'receiver_authorizer',
  'token',
  'withdraw_delay',
  'salt',
  'created_at',
  ...stateNames,
  'turn_digest',
  'turn_max',
  'turn_until',
  'lease_owner',
  'lease_until',
  'last_call_at',
]

type Name =
  | 'insertChannel'
  | 'channel'
  | 'lockChannel'
  | 'holdChannel'
  | 'endCall'
  | 'takeTurn'
  | 'depositInFlight'
  | 'depositByLog'
  | 'leaseChannel'
  | 'pruneChannels'
  | 'channelTotals'
  | 'channelsAtRisk'
  | 'exportChannels'
  | `leaseChannels_${ChannelsDue['due']}`

export function channelQueries(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): Readonly<Record<Name, Query>> & {
  /** Null where one transaction writes at a time. */
  readonly lockUnclaimed: Query | null
} {
  const text = (name: Name | 'lockUnclaimed', statement: RawBuilder<unknown>): Query =>
    compiled(name, statement.compile(db))
  const lock = sql.raw(dialect === 'postgres' ? ' for update' : '')
  const one = sql`select * from channel where id = ${place('id')}`
  return {
    insertChannel: text(
      'insertChannel',
      sql`${insertInto('channel', columnNames)} on conflict do nothing returning id`,
    ),
    channel: text('channel', one),
    lockChannel: text('lockChannel', sql`${one}${lock}`),
    holdChannel: text('holdChannel', holdChannel),
    endCall: text('endCall', endCall),
    takeTurn: text('takeTurn', takeTurn),
    depositInFlight: text(
      'depositInFlight',
      sql`select * from payment where channel_id = ${place('channel_id')}
        and kind = 'channel_deposit' and ${sql.raw(inFlight)}`,
    ),
    depositByLog: text(
      'depositByLog',
      sql`select id from payment where settlement_transaction = ${place('transaction')}
        and (settlement_log_index = ${place('log_index')}
          or settlement_block_hash <> ${place('block_hash')}) and kind = 'channel_deposit'`,
    ),
    leaseChannel: text('leaseChannel', leaseChannel),
    ...channelLeases(text, dialect),
    pruneChannels: text('pruneChannels', pruneChannels),
    channelTotals: text('channelTotals', channelTotals),
    channelsAtRisk: text('channelsAtRisk', channelsAtRisk),
    lockUnclaimed: dialect === 'postgres' ? text('lockUnclaimed', lockUnclaimed) : null,
    exportChannels: text(
      'exportChannels',
      sql`select * from channel where seq > ${place('after')} order by seq limit 500`,
    ),
  }
}

/** The row is locked. */
export function channelUpdate(db: Kysely<LedgerDatabase>): NarrowUpdate {
  const rest = sql`where id = ${place('id')}`
  return narrowUpdate(db, { name: 'updateChannel', table: 'channel', columns: stateNames, rest })
}

const [amount, max, at] = [wholeOf('amount'), wholeOf('max'), wholeOf('at')]
const digest = sql`cast(${place('digest')} as text)`

const isHigher = sql`${max} > signed`
const signedAfter = sql`(case when ${isHigher} then ${max} else signed end)`
const isAwaited = sql`turn_digest = ${digest} and turn_max = ${max}`

/** `admitsCall`, `isAwaitedByAnother` and the event `held`, in one statement. */
const holdChannel = sql`update channel set
    version = version + 1,
    reserved = reserved + ${amount},
    signature = case when ${isHigher} then cast(${place('signature')} as text) else signature end,
    signed = ${signedAfter},
    turn_digest = case when ${isAwaited} then null else turn_digest end,
    turn_until = case when ${isAwaited} then null else turn_until end,
    turn_max = case when ${isAwaited} then null else turn_max end,
    last_call_at = case when ${at} > last_call_at then ${at} else last_call_at end,
    updated_at = case when ${at} > updated_at then ${at} else updated_at end
  where id = ${place('id')} and status = 'open' and withdraw_at is null
  and (turn_max is null or turn_digest = ${digest} or turn_until <= ${at} or turn_max <> ${max}
    and charged + reserved + ${amount} <=
      (case when turn_max > ${signedAfter} then turn_max else ${signedAfter} end) - ${amount})
  and charged + reserved + ${amount} <= ${signedAfter}
  and charged + reserved + ${amount} <= deposited - returned
  and charged + reserved - claimed + ${amount} <= ${wholeOf('most')}
  and not exists (select 1 from channel_use
    where channel_seq = channel.seq and max = ${max} and free = 0)
  returning *`

/** The events `charged` and `released`: the latter is a charge of nothing. */
const endCall = sql`update channel set
    version = version + 1,
    reserved = reserved - ${wholeOf('ceiling')},
    charged = charged + ${wholeOf('cost')},
    unclaimed_since = case when ${wholeOf('cost')} > 0
      then coalesce(unclaimed_since, ${at}) else unclaimed_since end,
    updated_at = case when ${at} > updated_at then ${at} else updated_at end
  where id = ${place('id')} returning *`

const takeTurn = sql`update channel set turn_digest = ${place('digest')},
    turn_max = ${place('max')}, turn_until = ${place('until')}
  where id = ${place('id')} and version = ${place('version')}
  and (turn_until is null or turn_until <= ${place('now')} or turn_digest = ${place('digest')})
  returning *`

const isFree = sql`(lease_until is null or lease_until <= ${place('now')})`

const leaseChannel = sql`update channel
  set lease_owner = ${place('owner')}, lease_until = ${place('until')}
  where id = ${place('id')} and (${isFree} or lease_owner = ${place('owner')}) returning *`

type Due = {
  readonly where: RawBuilder<unknown>
  /** Comes before the end of the last lease. */
  readonly first?: RawBuilder<unknown>
  readonly order: string
}

/** As `channelAmounts` computes it. */
const claimable = sql`(case when deposited - returned <= claimed then 0
    when charged <= deposited - returned then charged - claimed
    else deposited - returned - claimed end)`

/** The same as in memory. */
const dues: Readonly<Record<ChannelsDue['due'], Due>> = {
  claim: {
    where: sql`unclaimed_since is not null and ${claimable} > 0
      and (${claimable} > ${place('above')} or unclaimed_since <= ${place('before')})`,
    order: 'unclaimed_since',
  },
  withdrawal: {
    where: sql`withdraw_at is not null`,
    first: sql`case when ${claimable} > 0 then 0 else 1 end`,
    order: 'withdraw_at',
  },
  refund: { where: sql`status = 'closing' and reserved = 0`, order: 'last_call_at' },
  close: {
    where: sql`status = 'open' and ${sql.raw(isLive)} and reserved = 0
      and last_call_at <= ${place('before')}
      and deposited - returned - charged > ${place('above')}`,
    order: 'last_call_at',
  },
}

const isAhead = sql`lease_until > ${place('latest')}`

/** A lease of a clock that was ahead says nothing about when the channel was last worked on. */
const lastLeased = sql`case when ${isAhead} then 0 else ${sql.raw(leaseEnd)} end`

function channelLeases(
  text: (name: Name, statement: RawBuilder<unknown>) => Query,
  dialect: SqlDialect,
): Readonly<Record<`leaseChannels_${ChannelsDue['due']}`, Query>> {
  const skip = sql.raw(dialect === 'postgres' ? ' for update skip locked' : '')
  const lease = (due: ChannelsDue['due']): Query => {
    const { where, first, order } = dues[due]
    const turn = first === undefined ? lastLeased : sql`${first}, ${lastLeased}`
    // A common table expression selects and locks the rows exactly once.
    const statement = sql`with due as (select seq from channel where ${where}
        and (${isFree} or ${isAhead})
        order by ${turn}, ${sql.ref(order)}, seq limit ${limitPlace}${skip})
      update channel set lease_owner = ${place('owner')}, lease_until = ${place('until')}
      where seq in (select due.seq from due) returning *`
    return text(`leaseChannels_${due}`, statement)
  }
  return {
    leaseChannels_claim: lease('claim'),
    leaseChannels_withdrawal: lease('withdrawal'),
    leaseChannels_refund: lease('refund'),
    leaseChannels_close: lease('close'),
  }
}

const pruneChannels = sql`delete from channel where seq in (
  select seq from channel as unused where unused.status = 'opening'
  and unused.updated_at < ${place('before')}
  and not exists (select 1 from payment
    where payment.channel_id = unused.id and payment.kind = 'channel_deposit')
  and not exists (select 1 from channel_movement where channel_movement.channel_id = unused.id)
  limit 1000)`

const sumOf = (column: string): RawBuilder<unknown> =>
  sql`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint) as ${sql.ref(column)}`

const moved = (kind: string): RawBuilder<unknown> =>
  sql`(select amount from channel_sum where kind = ${sql.lit(kind)})`

const channelTotals = sql`select count(*) as channels,
    ${sql.join(['deposited', 'returned', 'charged', 'reserved', 'claimed'].map(sumOf))},
    cast(coalesce(sum(${claimable}), 0) as bigint) as claimable,
    count(case when status = 'frozen' and deposited - returned > claimed then 1 end) as frozen,
    cast(${moved('claim')} - ${moved('settle')} as bigint) as unsettled
  from channel where ${sql.raw(isLive)}`

const isOwn = sql`payer = cast(${place('payer')} as text)`

const channelsAtRisk = sql`select
    cast(coalesce(sum(${claimable} + reserved), 0) as bigint) as in_all,
    cast(coalesce(sum(case when ${isOwn} then ${claimable} + reserved end), 0) as bigint) as of_payer,
    cast(coalesce(sum(case when ${isOwn} then claimed end), 0) as bigint) as claimed_of_payer
  from channel where ${sql.raw(isLive)}`

const lockUnclaimed = sql`select pg_advisory_xact_lock(hashtextextended('channel unclaimed', 0))`
