import { expect, test } from 'vitest'
import { createRevertRisk, type HeldRisk } from '../../src/policy/revert-risk.ts'

const hour = 3_600_000

function openRisk(policy: { readonly revertsPerAddress: number; readonly revertsPerHour: number }) {
  const time = { now: 0 }
  const risk = createRevertRisk({ policy, clock: () => time.now })
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
  expect(take('a')).toEqual({ status: 'used_up', of: 'address', until: hour })
  time.now = hour - 1
  expect(take('a')).toEqual({ status: 'used_up', of: 'address', until: hour })
  time.now = hour
  hold('a').lose()
  expect(take('a')).toEqual({ status: 'used_up', of: 'address', until: hour + 1_000 })
})

test('requests without an address share what all may cost', () => {
  const { take, hold } = openRisk({ revertsPerAddress: 1, revertsPerHour: 2 })
  hold().lose()
  hold().lose()
  expect(take(undefined)).toEqual({ status: 'used_up', of: 'all', until: hour })
  expect(take('a')).toEqual({ status: 'used_up', of: 'all', until: hour })
})

test('settlements that reverted beside others under way say when there is room', () => {
  const { take, hold, time } = openRisk({ revertsPerAddress: 9, revertsPerHour: 3 })
  const under = hold()
  hold().lose()
  time.now = 5
  hold().lose()
  expect(take(undefined)).toEqual({ status: 'in_use' })
  under.lose()
  expect(take(undefined)).toEqual({ status: 'used_up', of: 'all', until: hour })
})
