import { createPaymentId } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createRevertRisk, type HeldRisk } from '../../src/policy/revert-risk.ts'
import { usdc } from '../support/pay.ts'

const hour = 3_600_000

function openRisk(policy: { readonly revertsPerAddress: number; readonly revertsPerHour: number }) {
  const time = { now: 0 }
  const rest = {
    unservedPerAddress: 2,
    unservedPerHour: 4,
    settlementGas: { key: 100n, wallet: 900n },
  }
  const risk = createRevertRisk({ policy: { ...rest, ...policy }, clock: () => time.now })
  function hold(clientAddress?: string): HeldRisk {
    const held = risk.take(clientAddress)
    if (held.status !== 'held') throw new Error(held.status)
    return held
  }
  return { ...risk, time, hold }
}

test('what is under way takes the room of an address until it is released', () => {
  const { take, hold } = openRisk({ revertsPerAddress: 2, revertsPerHour: 3 })
  const first = hold('a')
  hold('a')
  expect(take('a')).toEqual({ status: 'in_use' })
  first.release()
  hold('a')
  hold('b')
  expect(take('b')).toEqual({ status: 'in_use' })
  expect(take(undefined)).toEqual({ status: 'in_use' })
})

test('what reverted takes room for an hour, whatever is released after it', () => {
  const { take, hold, time } = openRisk({ revertsPerAddress: 2, revertsPerHour: 9 })
  for (const at of [0, 1_000]) {
    time.now = at
    const held = hold('a')
    held.lose()
    held.release()
  }
  expect(take('a')).toEqual({ status: 'used_up', by: 'reverts', of: 'address', until: hour })
  time.now = hour - 1
  expect(take('a')).toEqual({ status: 'used_up', by: 'reverts', of: 'address', until: hour })
  time.now = hour
  hold('a').lose()
  expect(take('a')).toEqual({
    status: 'used_up',
    by: 'reverts',
    of: 'address',
    until: hour + 1_000,
  })
})

test('requests without an address share what all may cost', () => {
  const { take, hold } = openRisk({ revertsPerAddress: 1, revertsPerHour: 2 })
  hold().lose()
  hold().lose()
  expect(take(undefined)).toEqual({ status: 'used_up', by: 'reverts', of: 'all', until: hour })
  expect(take('a')).toEqual({ status: 'used_up', by: 'reverts', of: 'all', until: hour })
})

test('settlements that reverted while others were under way say when there is room', () => {
  const { take, hold, time } = openRisk({ revertsPerAddress: 9, revertsPerHour: 3 })
  const under = hold()
  hold().lose()
  time.now = 5
  hold().lose()
  expect(take(undefined)).toEqual({ status: 'in_use' })
  under.lose()
  expect(take(undefined)).toEqual({ status: 'used_up', by: 'reverts', of: 'all', until: hour })
})

const payment = (place: number) => ({ id: createPaymentId(place, new Uint8Array(10)) })

test('gas beyond that of a key counts for an hour by address, whatever else is settled there', () => {
  const { take, hold, time } = openRisk({ revertsPerAddress: 9, revertsPerHour: 9 })
  const first = hold('a')
  first.spend(payment(1), 299n)
  first.release()
  time.now = 1_000
  const second = hold('a')
  second.spend(payment(2), 100n)
  second.release()
  hold('a').spend(payment(3), 101n)
  expect(take('a')).toEqual({ status: 'used_up', by: 'gas', of: 'address', until: hour })
  hold('b')
  time.now = hour
  hold('a')
})

test('gas that the charge of its call pays for does not count', () => {
  const { take, hold, paid } = openRisk({ revertsPerAddress: 9, revertsPerHour: 9 })
  hold('a').spend(payment(1), 364n)
  paid(payment(1), usdc(4n))
  expect(take('a').status).toBe('held')
  hold('a').spend(payment(2), 364n)
  paid(payment(2), usdc(3n))
  paid(payment(3), usdc(1_000n))
  expect(take('a').status).toBe('used_up')
})
