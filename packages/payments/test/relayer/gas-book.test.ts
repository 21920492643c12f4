import { createMemoryStore, type GasPaid, type LedgerStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { dataFeeOf } from '../../src/relayer/data-fee.ts'
import { createGasBook } from '../../src/relayer/gas-book.ts'

const day = 20_000 * 86_400_000

function paid(nonce: number): GasPaid {
  return {
    chainId: 8453,
    sender: `0x${'ab'.repeat(20)}`,
    nonce,
    transaction: `0x${nonce.toString(16).padStart(64, '0')}`,
    purpose: 'settlement',
    succeeded: true,
    gas: 85_000n,
    fee: 1_000n,
    at: day,
  }
}

/** A book whose timers run on request. */
function bookOver(store: Pick<LedgerStore, 'recordGas'>) {
  const due: (() => void)[] = []
  const faults: unknown[] = []
  const timers = {
    after: (_: number, callback: () => void) => {
      due.push(callback)
      return () => undefined
    },
  }
  const book = createGasBook({ store, timers, onFault: (error) => faults.push(error) })
  return { book, faults, tick: () => due.shift()?.(), armed: () => due.length }
}

test('transactions are written together, including those left at the end', async () => {
  const store = createMemoryStore()
  const batches: number[] = []
  const { book, tick, armed } = bookOver({
    recordGas: (batch) => {
      batches.push(batch.length)
      return store.recordGas(batch)
    },
  })
  book.add(paid(1))
  book.add(paid(2))
  expect([batches, armed()]).toEqual([[], 1])
  tick()
  book.add(paid(3))
  await book.close()
  expect(batches).toEqual([3])
  expect((await store.gasByDay({ from: day, to: day + 1 }))[0]?.transactions).toBe(3)
})

test('what a store that is down did not take is written once it is up', async () => {
  const store = createMemoryStore()
  let isDown = true
  const { book, tick, faults } = bookOver({
    recordGas: (batch) => (isDown ? Promise.reject(new Error('down')) : store.recordGas(batch)),
  })
  book.add(paid(1))
  tick()
  await expect.poll(() => faults.length).toBe(1)
  isDown = false
  book.add(paid(2))
  await book.close()
  expect((await store.gasByDay({ from: day, to: day + 1 }))[0]?.transactions).toBe(2)
})

test('the fee of data is that of the receipt, if it has one', () => {
  expect(dataFeeOf({ l1Fee: '0x2a' })).toBe(42n)
  expect([dataFeeOf({}), dataFeeOf({ l1Fee: null }), dataFeeOf({ l1Fee: '?' })]).toEqual([
    0n,
    0n,
    0n,
  ])
})
