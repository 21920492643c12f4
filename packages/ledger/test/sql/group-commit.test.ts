import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { applyEvents, claimed, newPayment, settled, start } from '../../src/conformance/fixtures.ts'
import { noAnswer, type Operation } from '../../src/sql/queries/query.ts'
import { createGroupCommit, type GroupCommit } from '../../src/sql/sqlite/group-commit.ts'
import { sqliteTestLedger } from './test-ledgers.ts'

test('while another process writes, a group waits without blocking the event loop', async () => {
  const ledger = await sqliteTestLedger()
  try {
    const store = await ledger.open()
    const other = new Database(ledger.url.replace('sqlite:', ''))
    other.exec('begin immediate')
    const claims = Promise.all([store.claim(newPayment(1)), store.claim(newPayment(2))])
    let turns = 0
    const settledFirst = await Promise.race([
      claims.then(() => 'claims'),
      new Promise((resolve) => {
        const turn = (): void => {
          turns += 1
          if (turns === 20) resolve('turns')
          else setTimeout(turn, 1)
        }
        turn()
      }),
    ])
    expect(settledFirst).toBe('turns')
    other.exec('rollback')
    other.close()
    expect((await claims).map(({ status }) => status)).toEqual(['claimed', 'claimed'])
  } finally {
    await ledger.dispose()
  }
})

test('in a group each item is atomic, and items run in the order of their calls', async () => {
  const ledger = await sqliteTestLedger()
  try {
    const store = await ledger.open()
    const payment = await settled(store, 1)
    const started = { type: 'service_started', at: start } as const
    const outcomes = await Promise.allSettled([
      store.apply(payment, started),
      store.apply(payment, started),
      store.apply(payment, { type: 'refund_lost', at: start }),
      store.claim({ ...newPayment(2), id: payment.id }),
      claimed(store, 3),
    ])
    expect(
      outcomes.map((outcome) =>
        outcome.status === 'rejected' ? String(Reflect.get(outcome.reason, 'code')) : 'done',
      ),
    ).toEqual(['done', 'done', 'done', 'duplicate_id', 'done'])
    const [first, second, third] = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : undefined,
    )
    expect([first, second, third]).toMatchObject([
      { status: 'applied' },
      { status: 'conflict' },
      // Any event on an outdated version is a conflict.
      { status: 'conflict' },
    ])
  } finally {
    await ledger.dispose()
  }
})

test('an item that fails after it wrote is undone, and the others of its group are not', async () => {
  const ledger = await sqliteTestLedger()
  try {
    const store = await ledger.open()
    const started = { type: 'service_started', at: start } as const
    const serving = await Promise.all(
      [1, 2].map(
        async (number) => await applyEvents(store, await settled(store, number), [started]),
      ),
    )
    const refund = { kind: 'transfer', nonce: `0x${'5'.repeat(64)}` } as const
    const failed = { type: 'service_failed', reason: 'provider', refund, at: start } as const
    const [claim, ...outcomes] = await Promise.allSettled([
      claimed(store, 3),
      ...serving.map((payment) => store.apply(payment, failed)),
    ])
    expect([claim, ...outcomes].map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
    const stored = await Promise.all(serving.map(({ id }) => store.load(id)))
    expect(stored.map((payment) => payment?.status)).toEqual(['failed', 'serving'])
  } finally {
    await ledger.dispose()
  }
})

test('after a group of several, writes of two turns share a transaction', async () => {
  const { group, groups } = recordedGroups()
  await Promise.all([group.enqueue(write), group.enqueue(write)])
  const first = group.enqueue(write)
  await nextTurn()
  await Promise.all([first, group.enqueue(write)])
  expect(groups).toEqual([2, 2])
})

test('after a write that was alone in its group, the next is committed in its turn', async () => {
  const { group, groups } = recordedGroups()
  await group.enqueue(write)
  const first = group.enqueue(write)
  await nextTurn()
  await Promise.all([first, group.enqueue(write)])
  expect(groups).toEqual([1, 1, 1])
})

function* write(): Operation<null> {
  yield* []
  return null
}

/** A group commit on a database that only counts the operations of each transaction. */
function recordedGroups(): { readonly group: GroupCommit; readonly groups: readonly number[] } {
  const groups: number[] = []
  let size = 0
  const run = <Result>(operation: () => Operation<Result>): Result => {
    size += 1
    const { done, value } = operation().next(noAnswer)
    if (done !== true) throw new Error('expected no statement')
    return value
  }
  const group = createGroupCommit({
    database: {
      ready: () => undefined,
      begin: () => {
        size = 0
      },
      commit: () => void groups.push(size),
      flush: async () => await nextTurn(),
      rollback: () => undefined,
      run,
      runAlone: run,
      inTransaction: () => true,
      isBusy: () => false,
      describe: () => new Error('not expected'),
    },
    clock: () => 0,
    waitMs: 0,
  })
  return { group, groups }
}
