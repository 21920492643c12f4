import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { paymentNetwork } from '../../src/chain/network.ts'
import { rejectionText } from '../../src/signature/rejection-text.ts'

const accepted = {
  network: paymentNetwork('devnet'),
  payTo: `0x${'1'.repeat(40)}`,
  maxTimeoutSeconds: 300,
  amount: atomicUsdc(1_000n),
} as const

test.each([
  ['invalid_exact_evm_payer', 'Pay from another account.'],
  ['invalid_exact_evm_insufficient_balance', 'Fund it, or pay from another account.'],
  ['invalid_batch_settlement_evm_insufficient_balance', 'Fund it, or pay from another account.'],
  ['invalid_batch_settlement_evm_channel_id_mismatch', 'must be the id of its channelConfig.'],
  ['invalid_batch_settlement_evm_payload_type', 'send a refund payload to GET /v1/channel.'],
  ['authorization_canceled', 'Sign a new one.'],
  ['authorization_expired', 'Sign a new one and send it at once.'],
  ['nonce_used_elsewhere', 'Sign one with a random nonce.'],
  ['sold_by_another_ledger', 'Sign a new one for each request.'],
])('%s: %s', (reason, fix) => {
  expect(rejectionText(reason, accepted)).toContain(fix)
})
