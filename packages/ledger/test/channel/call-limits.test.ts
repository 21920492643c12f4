import { type AmountsAtRisk, reachedLimit } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { isBeyondChannel } from '../../src/channel/call-limits.ts'

const limit = { max: atomicUsdc(1_000n), newPayers: 5n }
const nothing: AmountsAtRisk = { inAll: 0n, ofPayer: 0n, claimedOfPayer: 0n }

test.each([
  ['the first half is open to all payers', 500n, {}, null],
  ['also for one payer', 100n, { inAll: 400n, ofPayer: 400n }, null],
  ['above it a new payer has a fifth of what is left', 100n, { inAll: 500n }, null],
  ['and not more', 101n, { inAll: 500n }, 'of_payer'],
  ['with what it has already', 60n, { inAll: 500n, ofPayer: 41n }, 'of_payer'],
  ['less of less', 21n, { inAll: 900n }, 'of_payer'],
  ['what was claimed from a payer counts', 300n, { inAll: 600n, claimedOfPayer: 300n }, null],
  ['and not more than it', 301n, { inAll: 600n, claimedOfPayer: 300n }, 'of_payer'],
  [
    'up to half of the limit',
    101n,
    { inAll: 800n, ofPayer: 400n, claimedOfPayer: 9_000n },
    'of_payer',
  ],
  ['exactly', 100n, { inAll: 800n, ofPayer: 400n, claimedOfPayer: 9_000n }, null],
  ['never beyond the limit', 101n, { inAll: 900n, claimedOfPayer: 500n }, 'in_all'],
] as const)('%s: %i', (_, amount, atRisk, reached) => {
  expect(reachedLimit({ ...nothing, ...atRisk }, atomicUsdc(amount), limit)).toBe(reached)
})

test('what is charged, in flight and asked for, less what is claimed, may reach the limit of a channel', () => {
  const channel = {
    charged: atomicUsdc(700n),
    reserved: atomicUsdc(200n),
    claimed: atomicUsdc(400n),
  }
  const isBeyond = (amount: bigint): boolean =>
    isBeyondChannel(channel, atomicUsdc(amount), { ofChannel: atomicUsdc(1_000n) })
  expect([isBeyond(500n), isBeyond(501n)]).toEqual([false, true])
})
