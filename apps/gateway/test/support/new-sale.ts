import { createPaymentId, type NewPayment } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'

const { caip2, chainId, usdc } = paymentNetwork('devnet')

/** A sale for 10 units, for tests that need no chain; each number up to 9 gives a different id and nonce. */
export function newSale(number = 0): NewPayment {
  return {
    id: createPaymentId(number, new Uint8Array(10)),
    network: caip2,
    kind: 'sale',
    channelId: null,
    authorization: {
      chainId,
      asset: usdc,
      from: `0x${'2'.repeat(40)}`,
      to: `0x${'1'.repeat(40)}`,
      value: atomicUsdc(10n),
      nonce: `0x${String(number).repeat(64)}`,
      validAfter: 0,
      validBefore: 1,
    },
    payload: '{}',
    requestDigest: '',
    resource: '/',
    model: 'm',
    priceVersion: 'v1',
    clientPaymentId: null,
    intentBlock: 0,
    lease: { owner: 'replica', until: 0 },
    createdAt: 0,
  }
}
