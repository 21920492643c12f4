import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { type ChannelMovement, isDepositOf } from '../../src/channel/channel-movement.ts'
import { newCall } from '../../src/conformance/channels/channel-fixtures.ts'
import { proof, start } from '../../src/conformance/fixtures.ts'
import { LedgerError, type PaymentRecord } from '../../src/index.ts'

const deposit = { ...newCall(1, 1, 5_000n), settlement: proof(1) } as PaymentRecord
const elsewhere: ChannelMovement['proof'] = { ...proof(1), blockHash: `0x${'e'.repeat(64)}` }
const seen: ChannelMovement = {
  kind: 'deposit',
  chainId: 84532,
  channelId: deposit.channelId,
  amount: atomicUsdc(5_000n),
  proof: proof(1),
  lost: false,
  at: start,
}

test('a deposit of a payment is the same in another block', () => {
  expect(isDepositOf(seen, deposit)).toBe(true)
  expect(isDepositOf({ ...seen, proof: elsewhere }, deposit)).toBe(true)
})

test('a log in the block of a deposit proves nothing else, and one in another block may', () => {
  const other = { ...seen, amount: atomicUsdc(4_999n) }
  expect(() => isDepositOf(other, deposit)).toThrow(LedgerError)
  expect(isDepositOf({ ...other, proof: elsewhere }, deposit)).toBe(false)
  expect(isDepositOf({ ...other, kind: 'refund', proof: elsewhere }, deposit)).toBe(false)
})
