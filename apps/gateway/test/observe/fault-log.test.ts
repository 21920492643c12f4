import { LedgerError } from '@farebox/ledger'
import { ChainError } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { createFaultLog, type FaultNotice } from '../../src/observe/fault-log.ts'

type Line = Readonly<Record<string, unknown>>

/** A log of faults at a time that the test sets. */
function openLog() {
  const lines: Line[] = []
  const time = { ms: 0 }
  const warn = (line: Line) => lines.push(line)
  const log = createFaultLog({ logger: { warn }, now: () => time.ms })
  const fault = (during: FaultNotice['during'], error: unknown): void => {
    log({ type: 'fault', during, error })
  }
  return { fault, lines, time }
}

const down = (subject: string) => new ChainError(subject, { reason: 'connect ECONNREFUSED' })
const shown = (subject: string) => ({
  code: 'chain_unavailable',
  reason: `Could not read ${subject} from the chain: connect ECONNREFUSED`,
})

test('a node that is down is logged once a minute for each activity, with the number of faults between', () => {
  const { fault, lines, time } = openLog()
  for (time.ms = 0; time.ms <= 125_000; time.ms += 1_000) {
    fault('treasury', down(`the balance at ${time.ms}`))
    if (time.ms < 3_000) fault('refunds', down('the latest block'))
  }
  expect(lines).toEqual([
    { event: 'fault', during: 'treasury', ...shown('the balance at 0') },
    { event: 'fault', during: 'refunds', ...shown('the latest block') },
    { event: 'fault', during: 'treasury', ...shown('the balance at 60000'), repeated: 59 },
    { event: 'fault', during: 'treasury', ...shown('the balance at 120000'), repeated: 59 },
  ])
})

test('other errors differ by their message, and are logged whole', () => {
  const { fault, lines } = openLog()
  const [first, second] = [new TypeError('x is not a function'), new Error('database is locked')]
  const broken = new ChainError('the balance', { cause: new SyntaxError('Unexpected token') })
  for (const error of [first, second, first, second, broken]) fault('recovery', error)
  expect(lines.map(({ err }) => err)).toEqual([first, second, broken])
})

test('rows that cannot be read are named, each once a minute', () => {
  const { fault, lines } = openLog()
  const row = (id: string) => new LedgerError('corrupt_row', `an invalid usage in the row of ${id}`)
  for (const id of ['pay_1', 'pay_2', 'pay_1']) fault('recovery', row(id))
  expect(lines).toEqual(
    ['pay_1', 'pay_2'].map((id) => ({
      event: 'row_unreadable',
      during: 'recovery',
      reason: `an invalid usage in the row of ${id}`,
    })),
  )
})

test('a hundred causes are remembered', () => {
  const { fault, lines } = openLog()
  for (let n = 0; n <= 100; n += 1) fault('recovery', new Error(`cause ${n}`))
  fault('recovery', new Error('cause 1'))
  expect(lines).toHaveLength(101)
  fault('recovery', new Error('cause 0'))
  expect(lines).toHaveLength(102)
})
