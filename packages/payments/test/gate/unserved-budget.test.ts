import { createPaymentId, type PaymentId } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createUnservedBudget } from '../../src/policy/unserved-budget.ts'

const hour = 3_600_000

function openBudget(policy: {
  readonly unservedPerAddress: number
  readonly unservedPerHour: number
}) {
  const time = { now: 0 }
  const budget = createUnservedBudget({ policy, clock: () => time.now })
  let counted = 0
  return {
    ...budget,
    time,
    /** Counts a new payment. */
    fault(clientAddress?: string, size?: number): { readonly id: PaymentId } {
      counted += 1
      const payment = { id: createPaymentId(counted, new Uint8Array(10)) }
      budget.count(payment, clientAddress, size)
      return payment
    },
  }
}

test('an address is refused with its last payment until the oldest is an hour old', () => {
  const { fault, refusalOf, time } = openBudget({ unservedPerAddress: 2, unservedPerHour: 9 })
  fault('a')
  time.now = 1_000
  expect(refusalOf('a')).toBeUndefined()
  fault('a')
  expect(refusalOf('a')).toEqual({ of: 'address', until: hour })
  expect(refusalOf('b')).toBeUndefined()
  fault('a')
  expect(refusalOf('a')).toEqual({ of: 'address', until: hour + 1_000 })
  time.now = hour + 999
  expect(refusalOf('a')).toEqual({ of: 'address', until: hour + 1_000 })
  time.now = hour + 1_000
  expect(refusalOf('a')).toBeUndefined()
})

test('large payments fill the limit sooner, and small ones later', () => {
  const { fault, refusalOf, time } = openBudget({ unservedPerAddress: 3, unservedPerHour: 9 })
  fault('a', 0.5)
  time.now = 1_000
  fault('a', 2)
  expect(refusalOf('a')).toBeUndefined()
  time.now = 2_000
  fault('a', 0.75)
  expect(refusalOf('a')).toEqual({ of: 'address', until: hour })
  time.now = hour
  expect(refusalOf('a')).toBeUndefined()
  fault('a', 7)
  expect(refusalOf('a')).toEqual({ of: 'address', until: 2 * hour })
  expect(refusalOf('b')).toBeUndefined()
})

test('a payment counts once, and not at all once it is forgiven', () => {
  const { fault, count, forgive, refusalOf } = openBudget({
    unservedPerAddress: 2,
    unservedPerHour: 2,
  })
  const payment = fault('a')
  count(payment, 'a')
  expect(refusalOf('a')).toBeUndefined()
  expect(refusalOf(undefined)).toBeUndefined()
  fault('a')
  expect(refusalOf('a')?.of).toBe('address')
  forgive(payment)
  forgive(payment)
  expect(refusalOf('a')).toBeUndefined()
  expect(refusalOf(undefined)).toBeUndefined()
})

test('once those of all addresses are used up, an address keeps a tenth of its own', () => {
  const { fault, refusalOf, time } = openBudget({ unservedPerAddress: 20, unservedPerHour: 4 })
  fault('a')
  time.now = 1_000
  fault('a')
  fault('b')
  expect(refusalOf('a')).toBeUndefined()
  time.now = 2_000
  fault('c')
  expect(refusalOf('a')).toEqual({ of: 'all', until: hour })
  expect(refusalOf('b')).toBeUndefined()
  expect(refusalOf('new')).toBeUndefined()
  fault('b')
  fault('b')
  // Of six, the second has to expire before fewer than four count; the own ones expire later.
  expect(refusalOf('b')).toEqual({ of: 'all', until: hour + 1_000 })
  time.now = hour + 1_000
  expect(refusalOf('b')).toBeUndefined()
})

test('clients without an address are refused when those of all are used up', () => {
  const { fault, refusalOf, time } = openBudget({ unservedPerAddress: 1, unservedPerHour: 2 })
  fault()
  expect(refusalOf(undefined)).toBeUndefined()
  time.now = 5
  fault('a')
  expect(refusalOf(undefined)).toEqual({ of: 'all', until: hour })
})
