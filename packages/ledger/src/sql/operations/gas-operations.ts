import { type GasOfDay, type GasPaid, type GasStore, gasPurposes } from '../../store/gas-store.ts'
import { dayMs } from '../../store/ledger-reports.ts'
import type { Executor } from '../executor.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf, type Values, writtenBy } from '../queries/query.ts'
import * as read from '../rows/read-row.ts'

const gwei = 1_000_000_000n

/** What gas cost, over a database. */
export function sqlGas(queries: Queries, executor: Executor): GasStore {
  return {
    recordGas: (paid) => executor.write(() => recordGas(queries, paid)),
    gasByDay: (period) => executor.read(() => gasByDay(queries, period)),
    gasOf: (transaction) =>
      executor.read(function* () {
        const values = { transaction: transaction.toLowerCase() }
        const [row] = yield* rowsOf(queries.gasOf, values)
        return row === undefined ? undefined : gasPaidIn(row)
      }),
  }
}

/** In the order of their nonces, so that writers cannot deadlock. */
function* recordGas(queries: Queries, paid: readonly GasPaid[]): Operation<void> {
  for (const one of paid.toSorted((a, b) => a.nonce - b.nonce)) {
    const values = gasColumns(one)
    if ((yield* writtenBy(queries.insertGas, values)) === 0) {
      const [row] = yield* rowsOf(queries.lockGas, values)
      const before = row === undefined ? undefined : gasPaidIn(row)
      if (before === undefined || isSame(before, one)) continue
      yield* rowsOf(queries.replaceGas, values)
      yield* rowsOf(queries.addToGasDay, dayColumns(before, -1n))
    }
    yield* rowsOf(queries.addToGasDay, dayColumns(one, 1n))
  }
}

function isSame(a: GasPaid, b: GasPaid): boolean {
  return a.transaction === b.transaction.toLowerCase() && a.fee === b.fee && a.gas === b.gas
}

function gasColumns(paid: GasPaid): Values {
  return {
    chain_id: BigInt(paid.chainId),
    sender: paid.sender.toLowerCase(),
    nonce: BigInt(paid.nonce),
    transaction_hash: paid.transaction.toLowerCase(),
    purpose: paid.purpose,
    succeeded: paid.succeeded ? 1n : 0n,
    gas: paid.gas,
    fee: paid.fee,
    at: BigInt(paid.at),
  }
}

/** What a transaction adds to its day, or takes from it. */
function dayColumns({ at, nonce, ...paid }: GasPaid, sign: 1n | -1n): Values {
  return {
    day: BigInt(at - (at % dayMs)),
    chain_id: BigInt(paid.chainId),
    sender: paid.sender.toLowerCase(),
    purpose: paid.purpose,
    transactions: sign,
    reverted: paid.succeeded ? 0n : sign,
    gas: sign * paid.gas,
    gwei: sign * (paid.fee / gwei),
    wei: sign * (paid.fee % gwei),
    first_nonce: BigInt(nonce),
    last_nonce: BigInt(nonce),
  }
}

function gasPaidIn(row: Row): GasPaid {
  return {
    chainId: read.whole(row, 'chain_id'),
    sender: read.hex(row, 'sender'),
    nonce: read.whole(row, 'nonce'),
    transaction: read.hex(row, 'transaction_hash'),
    purpose: read.oneOf(row, 'purpose', gasPurposes),
    succeeded: read.whole(row, 'succeeded') === 1,
    gas: read.amount(row, 'gas'),
    fee: read.amount(row, 'fee'),
    at: read.whole(row, 'at'),
  }
}

function* gasByDay(
  queries: Queries,
  { from, to }: Parameters<GasStore['gasByDay']>[0],
): Operation<readonly GasOfDay[]> {
  const rows = yield* rowsOf(queries.gasByDay, { from: BigInt(from), to: BigInt(to) })
  return rows.map((row) => ({
    day: read.whole(row, 'day'),
    sender: read.hex(row, 'sender'),
    purpose: read.oneOf(row, 'purpose', gasPurposes),
    transactions: read.whole(row, 'transactions'),
    reverted: read.whole(row, 'reverted'),
    gas: read.amount(row, 'gas'),
    fee: read.amount(row, 'gwei') * gwei + read.amount(row, 'wei'),
    firstNonce: read.whole(row, 'first_nonce'),
    lastNonce: read.whole(row, 'last_nonce'),
  }))
}
