import {
  dayMs,
  isDayOver,
  type KeptRevenue,
  type ModelRevenue,
  type RevenuePeriod,
} from '../../store/ledger-reports.ts'
import { createRevenueTally } from '../../store/revenue-tally.ts'
import type { Executor } from '../executor.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Query, type Row, rowsOf } from '../queries/query.ts'
import * as read from '../rows/read-row.ts'

const hourMs = 3_600_000
/**
 * How long after its end an hour may still receive entries; later ones are only in the sum of the
 * day.
 */
const hoursEndLateMs = 300_000

/**
 * The sum of a past day is computed once and stored. For the current day, the sums of past hours
 * are. Reads happen outside the transactions that store the results, so summing never delays a
 * payment.
 */
export async function revenueByDay(
  queries: Queries,
  executor: Executor,
  { from, to, now }: RevenuePeriod,
): Promise<readonly ModelRevenue[]> {
  const period = { from: BigInt(from), to: BigInt(to) }
  const tally = createRevenueTally()
  const days = await executor.read(() => rowsOf(queries.summedDays, period))
  const summed = new Set(days.map((row) => read.whole(row, 'day')))
  const kept = await executor.read(() => rowsOf(queries.keptRevenue, period))
  // Another process may have kept a day since, which is summed here.
  for (const sum of kept.map(keptDay)) if (summed.has(sum.day)) tally.add(sum)
  for (let day = from; day < to; day += dayMs) {
    if (summed.has(day)) continue
    const sums = isDayOver(day, now)
      ? await sumWholeDay(queries, executor, day)
      : await sumHours(queries, executor, { day, now })
    for (const sum of sums) tally.add(sum)
  }
  return tally.sums()
}

async function sumWholeDay(
  queries: Queries,
  executor: Executor,
  day: number,
): Promise<readonly ModelRevenue[]> {
  const models = await executor.read(() => sumsOf(queries, day, day + dayMs))
  await executor.write(() => keepDay(queries, day, models))
  return models
}

async function sumHours(
  queries: Queries,
  executor: Executor,
  { day, now }: { readonly day: number; readonly now: number },
): Promise<readonly ModelRevenue[]> {
  const period = { from: BigInt(day), to: BigInt(day + dayMs) }
  const rows = await executor.read(() => rowsOf(queries.keptHours, period))
  const kept = new Set(rows.map((row) => read.whole(row, 'hour')))
  const sums = rows.map((row) => sumIn(row, day))
  const overUntil = Math.min(day + dayMs, now - hoursEndLateMs - ((now - hoursEndLateMs) % hourMs))
  let rest = day
  for (; rest < overUntil; rest += hourMs) {
    if (kept.has(rest)) continue
    const hour = rest
    const models = await executor.read(() => sumsOf(queries, hour, hour + hourMs))
    if (models.length > 0) await executor.write(() => keep(queries.keepHour, hour, models))
    sums.push(...models)
  }
  return [...sums, ...(await executor.read(() => sumsOf(queries, rest, day + dayMs)))]
}

/** The days and the sums that are kept of them. */
export function* keptRevenue(queries: Queries): Operation<KeptRevenue> {
  const rows = yield* rowsOf(queries.allKept)
  return {
    days: [...new Set(rows.map((row) => read.whole(row, 'summed')))],
    sums: rows.filter((row) => row['day'] !== null).map(keptDay),
  }
}

function keptDay(row: Row): ModelRevenue {
  return sumIn(row, read.whole(row, 'day'))
}

function* sumsOf(queries: Queries, start: number, end: number): Operation<readonly ModelRevenue[]> {
  const period = { from: BigInt(start), to: BigInt(end) }
  const day = start - (start % dayMs)
  return (yield* rowsOf(queries.revenueOf, period)).map((row) => sumIn(row, day))
}

function sumIn(row: Row, day: number): ModelRevenue {
  return {
    day,
    model: read.text(row, 'model'),
    payments: read.whole(row, 'payments'),
    revenue: read.amount(row, 'revenue'),
    providerCost: read.amount(row, 'provider_cost'),
    unknownCosts: read.whole(row, 'unknown_costs'),
  }
}

/** Keeps the sums of an hour or a day that begins at `start`. */
function* keep(query: Query, start: number, sums: readonly ModelRevenue[]): Operation<void> {
  for (const { model, payments, revenue, providerCost, unknownCosts } of sums) {
    yield* rowsOf(query, {
      start: BigInt(start),
      model,
      payments: BigInt(payments),
      revenue,
      provider_cost: providerCost,
      unknown_costs: BigInt(unknownCosts),
    })
  }
}

/** The sums of its hours are no longer needed: late entries are in the sum of the day. */
function* keepDay(queries: Queries, day: number, sums: readonly ModelRevenue[]): Operation<void> {
  yield* keep(queries.keepRevenue, day, sums)
  yield* rowsOf(queries.keepDay, { day: BigInt(day) })
  yield* rowsOf(queries.dropHours, { before: BigInt(day + dayMs) })
}
