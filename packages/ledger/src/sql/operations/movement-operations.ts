import {
  type BookedMovement,
  type ChannelMovement,
  isUnbooked,
} from '../../channel/channel-movement.ts'
import type { ChannelRecord } from '../../channel/channel-record.ts'
import { LedgerError, type OnCorruptRow } from '../../payment/ledger-error.ts'
import type { SettleEvent } from '../../store/channel-store.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf } from '../queries/query.ts'
import { channelEntryIn, channelIn, movementColumns, movementIn } from '../rows/channel-row.ts'
import * as read from '../rows/read-row.ts'
import { lastOf, nextOf } from './export-operations.ts'
import { type Page, readable } from './paged.ts'
import { bookMovement, placeValues, takeBack } from './write-to-channel.ts'

/** A movement that can be recorded: the row that it takes back, or null if it is new. */
export type Recordable = { readonly movement: ChannelMovement; readonly standing: Row | null }

/**
 * What is left to record of a movement, with its amount as it is stored if it was lost. Null if
 * nothing is left: it was booked before, by a payment too, or taken back before.
 *
 * @throws {LedgerError} `proof_used` if the log proves another movement, `not_found` if what was lost
 * is not in the ledger.
 */
export function* recordable(
  queries: Queries,
  movement: ChannelMovement,
): Operation<Recordable | null> {
  const log = placeValues(movement.proof)
  const standing = yield* rowsOf(queries.standingMovements, log)
  if (movement.lost) return yield* recordableLoss(queries, movement, standing)
  if (!isUnbooked(movement, standing.map(movementIn))) return null
  const paid = movement.kind === 'deposit' ? yield* rowsOf(queries.depositByLog, log) : []
  return paid.length > 0 ? null : { movement, standing: null }
}

function* recordableLoss(
  queries: Queries,
  loss: ChannelMovement,
  standings: readonly Row[],
): Operation<Recordable | null> {
  const { logIndex } = loss.proof
  const standing = standings.find((row) => movementIn(row).proof.logIndex === logIndex)
  if (standing !== undefined && isSame(standing, loss)) {
    const { amount, proof } = movementIn(standing)
    // The same transaction may be booked again from another block meanwhile.
    const isSameBlock = proof.blockHash === loss.proof.blockHash
    return isSameBlock ? { movement: { ...loss, amount }, standing } : null
  }
  const lost = yield* rowsOf(queries.lostMovement, placeValues(loss.proof))
  if (lost.some((row) => isSame(row, loss))) return null
  const { transaction } = loss.proof
  throw new LedgerError('not_found', `no movement is proven by log ${logIndex} of ${transaction}`)
}

/**
 * Books a movement, or takes back one that was lost. False if another process did so meanwhile.
 *
 * @throws {LedgerError} `proof_used` if the log proves another movement by now.
 */
export function* recordMovement(
  queries: Queries,
  { movement, standing }: Recordable,
): Operation<boolean> {
  if (standing !== null) return yield* takeBack(queries, standing, movement.at)
  const [inserted] = yield* rowsOf(queries.insertMovement, movementColumns(movement))
  if (inserted !== undefined) {
    yield* bookMovement(queries, movement, read.amount(inserted, 'seq'))
    return true
  }
  if ((yield* recordable(queries, movement)) === null) return false
  throw new LedgerError('proof_used', 'the log already proves another movement')
}

function isSame(row: Row, { kind, channelId }: ChannelMovement): boolean {
  const known = movementIn(row)
  return known.kind === kind && known.channelId === channelId
}

export function* recordSettle(
  queries: Queries,
  { type, ...rest }: SettleEvent,
): Operation<'recorded' | 'known'> {
  const lost = type === 'settle_lost'
  const settle = { ...rest, kind: 'settle', channelId: null, lost } as const
  const left = yield* recordable(queries, settle)
  return left !== null && (yield* recordMovement(queries, left)) ? 'recorded' : 'known'
}

export function* channelMovements(
  queries: Queries,
  { chainId, fromBlock }: { readonly chainId: number; readonly fromBlock: number },
  onCorrupt?: OnCorruptRow,
): Operation<readonly ChannelMovement[]> {
  const values = { chain_id: BigInt(chainId), from: BigInt(fromBlock) }
  return readable(yield* rowsOf(queries.movementsFrom, values), movementIn, onCorrupt)
}

export function* channelPage(
  queries: Queries,
  after: bigint,
  onCorrupt?: OnCorruptRow,
): Operation<Page<ChannelRecord>> {
  const rows = yield* rowsOf(queries.exportChannels, { after })
  return { items: readable(rows, channelIn, onCorrupt), next: nextOf(rows, lastOf(rows, after)) }
}

export function* movementPage(
  queries: Queries,
  after: bigint,
  onCorrupt?: OnCorruptRow,
): Operation<Page<BookedMovement>> {
  const rows = yield* rowsOf(queries.exportMovements, { after })
  const last = lastOf(rows, after)
  const entries = yield* rowsOf(queries.exportChannelEntries, { after, last })
  const exported = (row: Row): BookedMovement => ({
    movement: movementIn(row),
    entries: entries
      .filter((entry) => read.amount(entry, 'movement_seq') === read.amount(row, 'seq'))
      .map(channelEntryIn),
  })
  const items = readable(rows, exported, onCorrupt)
  return { items, next: nextOf(rows, last) }
}
