import type {
  FreeBill,
  FreeHold,
  FreeHoldOutcome,
  FreeLimits,
  FreeQuotaStore,
  FreeUse,
  FreeUsed,
} from '../../store/free-quota-store.ts'
import type { Executor } from '../executor.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf, type Values, writtenBy } from '../queries/query.ts'
import * as read from '../rows/read-row.ts'

/** The row with the sum of all addresses. */
const everyAddress = ''

/** Free quotas over a database. */
export function sqlFreeQuota(queries: Queries, executor: Executor): FreeQuotaStore {
  return {
    holdFree: (hold, limits) => executor.write(() => holdFree(queries, hold, limits)),
    billFree: (hold, bill) => executor.write(() => billFree(queries, hold, bill)),
    releaseFree: (hold) => executor.write(() => giveBack(queries, hold, hold.amount)),
    freeUseByDay: (period) => executor.read(() => freeUseByDay(queries, period)),
  }
}

/** Every writer locks the row of all addresses first, so that writers cannot deadlock. */
function* holdFree(
  queries: Queries,
  hold: FreeHold,
  { perAddress, inAll }: FreeLimits,
): Operation<FreeHoldOutcome> {
  const before = yield* usedOf(queries, hold)
  const exceeded = { status: 'exceeded', ...before } as const
  if (before.used + hold.amount > perAddress || before.usedInAll + hold.amount > inAll) {
    return exceeded
  }
  const all = { day: BigInt(hold.day), address: everyAddress, amount: hold.amount }
  if ((yield* writtenBy(queries.holdFree, { ...all, limit: inAll })) === 0) return exceeded
  const own = { ...all, address: hold.address, limit: perAddress }
  if ((yield* writtenBy(queries.holdFree, own)) === 0) {
    yield* rowsOf(queries.giveBackFree, all)
    return exceeded
  }
  return { status: 'held', ...(yield* usedOf(queries, hold)) }
}

function* billFree(
  queries: Queries,
  hold: FreeHold,
  { model, cost, providerCost }: FreeBill,
): Operation<FreeUsed> {
  const used = yield* giveBack(queries, hold, hold.amount - cost)
  yield* rowsOf(queries.addFreeUse, {
    day: BigInt(hold.day),
    model,
    cost,
    provider_cost: providerCost ?? 0n,
  })
  return used
}

function* giveBack(
  queries: Queries,
  { day, address }: FreeHold,
  amount: bigint,
): Operation<FreeUsed> {
  for (const one of [everyAddress, address]) {
    yield* rowsOf(queries.giveBackFree, { day: BigInt(day), address: one, amount })
  }
  return yield* usedOf(queries, { day, address })
}

function* usedOf(
  queries: Queries,
  { day, address }: Pick<FreeHold, 'day' | 'address'>,
): Operation<FreeUsed> {
  const of = function* (one: string): Operation<bigint> {
    const values: Values = { day: BigInt(day), address: one }
    const [row] = yield* rowsOf(queries.freeUsed, values)
    return row === undefined ? 0n : read.amount(row, 'used')
  }
  return { used: yield* of(address), usedInAll: yield* of(everyAddress) }
}

function* freeUseByDay(
  queries: Queries,
  { from, to }: Parameters<FreeQuotaStore['freeUseByDay']>[0],
): Operation<readonly FreeUse[]> {
  const values = { from: BigInt(from), to: BigInt(to) }
  return (yield* rowsOf(queries.freeUseByDay, values)).map(freeUseIn)
}

function freeUseIn(row: Row): FreeUse {
  return {
    day: read.whole(row, 'day'),
    model: read.text(row, 'model'),
    calls: read.whole(row, 'calls'),
    cost: read.amount(row, 'cost'),
    providerCost: read.amount(row, 'provider_cost'),
  }
}
