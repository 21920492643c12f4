import { type Kysely, sql } from 'kysely'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto } from './wide-statements.ts'

const columns = [
  'kind',
  'chain_id',
  'channel_id',
  'amount',
  'proof_transaction',
  'proof_block',
  'proof_block_hash',
  'proof_log_index',
  'lost',
  'at',
]

type Name =
  | 'insertMovement'
  | 'standingMovements'
  | 'lostMovement'
  | 'loseMovement'
  | 'insertChannelEntry'
  | 'movementsFrom'
  | 'exportMovements'
  | 'exportChannelEntries'

export function channelMovementQueries(db: Kysely<LedgerDatabase>): Readonly<Record<Name, Query>> {
  const ofLog = sql`proof_transaction = ${place('transaction')}
    and proof_log_index = ${place('log_index')}`
  const entryColumns = ['movement_seq', 'debit', 'credit', 'amount', 'at']
  return {
    insertMovement: compiled(
      'insertMovement',
      sql`${insertInto('channel_movement', columns)} on conflict do nothing returning seq`.compile(
        db,
      ),
    ),
    // By the same log, or by the same transaction in another block.
    standingMovements: compiled(
      'standingMovements',
      sql`select * from channel_movement where proof_transaction = ${place('transaction')}
        and (proof_log_index = ${place('log_index')} or proof_block_hash <> ${place('block_hash')})
        and lost = 0 order by seq`.compile(db),
    ),
    lostMovement: compiled(
      'lostMovement',
      sql`select * from channel_movement where ${ofLog} and lost = 1`.compile(db),
    ),
    loseMovement: compiled(
      'loseMovement',
      sql`update channel_movement set lost = 1
        where seq = ${place('seq')} and lost = 0 returning seq`.compile(db),
    ),
    insertChannelEntry: compiled(
      'insertChannelEntry',
      insertInto('channel_entry', entryColumns).compile(db),
    ),
    movementsFrom: compiled(
      'movementsFrom',
      sql`select * from channel_movement where lost = 0 and chain_id = ${place('chain_id')}
        and proof_block >= ${place('from')} order by proof_block, proof_log_index`.compile(db),
    ),
    exportMovements: compiled(
      'exportMovements',
      sql`select * from channel_movement where seq > ${place('after')}
        order by seq limit 500`.compile(db),
    ),
    exportChannelEntries: compiled(
      'exportChannelEntries',
      sql`select channel_entry.*, channel_movement.channel_id
        from channel_entry cross join channel_movement
        where channel_entry.movement_seq > ${place('after')}
        and channel_entry.movement_seq <= ${place('last')}
        and channel_movement.seq = channel_entry.movement_seq
        order by channel_entry.seq`.compile(db),
    ),
  }
}
