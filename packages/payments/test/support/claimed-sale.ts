import { createPaymentId, type NewPayment, type PaymentRecord } from '@farebox/ledger'
import { claimedRecord } from '@farebox/ledger/store'
import { usdc } from './pay.ts'

/** A sale of 10,000 units, for tests that need no chain. */
export const newSale: NewPayment = {
  id: createPaymentId(0, new Uint8Array(10)),
  network: 'eip155:84532',
  kind: 'sale',
  channelId: null,
  authorization: {
    chainId: 84532,
    asset: `0x${'4'.repeat(40)}`,
    from: `0x${'2'.repeat(40)}`,
    to: `0x${'1'.repeat(40)}`,
    value: usdc(10_000n),
    nonce: `0x${'3'.repeat(64)}`,
    validAfter: 0,
    validBefore: 2_000_000_000,
  },
  payload: null,
  requestDigest: '',
  resource: '/',
  model: 'm',
  priceVersion: 'v1',
  clientPaymentId: null,
  intentBlock: 10,
  lease: null,
  createdAt: 0,
}

export const claimedSale: PaymentRecord = claimedRecord(newSale)
