import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { AuthorizationUse, ChainReader } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { readSettlement } from '../../src/settlement/settlement-verdict.ts'
import { claimedSale as sale } from '../support/claimed-sale.ts'
import { usdc } from '../support/pay.ts'

const { to: treasury, validBefore: expiry } = sale.authorization
const proofAt = (block: number) => ({
  transaction: '0x1' as Hex,
  block,
  blockHash: '0x2' as Hex,
  logIndex: 0,
})
/** The log of the channel contract, in the same transaction. */
const deposited = { ...proofAt(11), logIndex: 7 }

const deposit = { ...sale, kind: 'channel_deposit', channelId: `0x${'5'.repeat(64)}` } as const

const paid = (block: number, how: { readonly to?: Hex; readonly value?: bigint } = {}) =>
  ({
    status: 'transferred',
    to: how.to ?? treasury,
    value: usdc(how.value ?? 10_000n),
    proof: proofAt(block),
  }) satisfies AuthorizationUse
const unusedAt = (timestamp: number): AuthorizationUse => ({
  status: 'unused',
  head: { number: 12, hash: '0x2', timestamp },
})

async function verdictOn(
  payment: PaymentRecord,
  use: AuthorizationUse,
  depositProof: typeof deposited | null = deposited,
) {
  const asked: unknown[] = []
  const chain: Pick<ChainReader, 'authorizationUse' | 'depositProof'> = {
    authorizationUse: async () => use,
    depositProof: async (deposit) => {
      asked.push(deposit)
      return depositProof
    },
  }
  const verdict = await readSettlement(chain as ChainReader, payment, { voidMarginSeconds: 5 })
  return { verdict, asked }
}

const elsewhere = { status: 'rejected', reason: 'nonce_used_elsewhere' }
test.each([
  ['a transfer after the claim proves it', paid(11), { status: 'proven', proof: proofAt(11) }],
  [
    'a transfer in the block of the claim is early',
    paid(10),
    { status: 'early', proof: proofAt(10) },
  ],
  ['a transfer to another account rejects it', paid(11, { to: `0x${'9'.repeat(40)}` }), elsewhere],
  ['a transfer of one unit less rejects it', paid(11, { value: 9_999n }), elsewhere],
  ['a transfer of one unit more rejects it', paid(11, { value: 10_001n }), elsewhere],
  [
    'a cancellation rejects it',
    { status: 'canceled' } as const,
    { status: 'rejected', reason: 'authorization_canceled' },
  ],
  [
    'an unused nonce leaves it open until the margin is over',
    unusedAt(expiry + 5),
    { status: 'open', chainTime: expiry + 5 },
  ],
  ['an unused nonce is void a second later', unusedAt(expiry + 6), { status: 'expired' }],
])('of a sale: %s', async (_, use, expected) => {
  expect(await verdictOn(sale, use)).toEqual({ verdict: expected, asked: [] })
})

test.each([
  ['after its claim', 11],
  ['before its claim', 9],
])('a deposit %s is proven by the log of its channel', async (_, block) => {
  const { channelId, authorization } = deposit
  expect(await verdictOn(deposit, paid(block))).toEqual({
    verdict: { status: 'proven', proof: deposited },
    asked: [{ transfer: proofAt(block), channelId, amount: authorization.value }],
  })
})

test('a deposit that is not in its channel is rejected', async () => {
  expect((await verdictOn(deposit, paid(11), null)).verdict).toEqual(elsewhere)
})

test.each([
  [unusedAt(expiry), { status: 'open', chainTime: expiry }],
  [unusedAt(expiry + 6), { status: 'expired' }],
  [paid(11, { value: 9_999n }), elsewhere],
] as const)('a deposit that did not arrive needs no log of its channel', async (use, expected) => {
  expect(await verdictOn(deposit, use)).toEqual({ verdict: expected, asked: [] })
})
