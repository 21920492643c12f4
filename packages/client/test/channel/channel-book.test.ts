import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CallHold,
  type ChannelBook,
  createChannelBook,
} from '../../src/channel/channel-book.ts'

const rich = { balance: 10n ** 9n, charged: 0n }

/** Ends one of the calls in flight at a part of its ceiling, or begins a call of this ceiling. */
const step = fc.record({
  begins: fc.boolean(),
  ceiling: fc.bigInt(1n, 50n),
  which: fc.nat(),
  percent: fc.bigInt(0n, 100n),
})

test('every promise covers what is charged and in flight, and buys one call', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const book = createChannelBook(rich)
      const inFlight: CallHold[] = []
      const used = new Set<bigint>()
      let charged = 0n
      for (const { begins, ceiling, which, percent } of steps) {
        if (begins || inFlight.length === 0) {
          const call = book.hold(ceiling)
          const reserved = inFlight.reduce((total, { ceiling: one }) => total + one, 0n)
          expect(call.max).toBeGreaterThanOrEqual(charged + reserved + ceiling)
          expect(used.has(call.max)).toBe(false)
          used.add(call.max)
          inFlight.push(call)
        } else {
          const [call] = inFlight.splice(which % inFlight.length, 1)
          if (call === undefined) continue
          const cost = (call.ceiling * percent) / 100n
          call.end(cost)
          if (cost === 0n) used.delete(call.max)
          charged += cost
        }
        expect(book.charged()).toBe(charged)
      }
    }),
  )
})

test('the report of a stream pulls a sum back that ran ahead', () => {
  const book = createChannelBook({ balance: 10_000n, charged: 5_000n })
  const call = book.hold(1_000n)
  // The gateway counts 4,200 and this ceiling.
  call.report(200n, 'in_flight')
  expect(book.charged()).toBe(4_200n)
  call.end(300n)
  expect(book.charged()).toBe(4_500n)
})

test('a report during other calls does not pull the sum back', () => {
  const book = createChannelBook({ balance: 10_000n, charged: 5_000n })
  book.hold(1_000n)
  book.hold(1_000n).report(1n, 'in_flight')
  expect(book.charged()).toBe(5_000n)
})

test('a cost that becomes known later replaces the one that was reported', () => {
  const book = createChannelBook(rich)
  const call = book.hold(1_000n)
  call.report(400n, 'ended')
  expect([book.charged(), call.isOpen()]).toEqual([400n, false])
  call.end(250n)
  expect(book.charged()).toBe(250n)
})

test('a sum above every promise is not believed', () => {
  const book = createChannelBook({ balance: 10_000n, charged: 5_000n })
  book.hold(1_000n).end(400n)
  book.reconcile({ balance: 9_000n, charged: 6_001n })
  expect([book.balance(), book.charged()]).toEqual([10_000n, 5_400n])
  book.reconcile({ balance: 9_000n, charged: 6_000n })
  expect([book.balance(), book.charged()]).toEqual([9_000n, 6_000n])
})

test('what is adopted includes the calls in flight', () => {
  const book = createChannelBook(rich)
  const call = book.hold(100n)
  book.adopt({ balance: 5_000n, next: 700n })
  expect(book.hold(50n).max).toBe(750n)
  call.end(40n)
  expect(book.charged()).toBe(640n)
  expect(book.rest()).toBe(5_000n - 640n - 50n)
})

const used = { balance: 10_000n, charged: 5_000n }

function spentIn(book: ChannelBook): bigint {
  return book.charged() - book.before()
}

test('what was charged before is not spent by the calls of the book, once it is stated', () => {
  const book = createChannelBook(used)
  book.hold(1_000n).end(300n)
  book.adopt({ balance: 10_000n, next: 6_300n })
  expect([book.charged(), spentIn(book)]).toEqual([6_300n, 300n])
  book.adopt({ balance: 10_000n, next: 4_300n })
  expect([book.charged(), spentIn(book)]).toEqual([4_300n, 300n])
})

test.each<[string, (book: ChannelBook) => void]>([
  ['all costs', (book) => book.reconcile({ balance: 10_000n, charged: 5_550n })],
  ['the next sum', (book) => book.adopt({ balance: 10_000n, next: 5_550n })],
  ['a call that is in flight', (book) => book.hold(1_000n).report(250n, 'in_flight')],
])(
  'a call that counted at its ceiling is spent at its cost once the server states %s',
  (_, state) => {
    const book = createChannelBook(used)
    book.hold(1_000n).end(300n)
    book.hold(1_000n).end(1_000n)
    expect(spentIn(book)).toBe(1_300n)
    state(book)
    expect([book.charged(), spentIn(book)]).toEqual([5_550n, 550n])
  },
)
