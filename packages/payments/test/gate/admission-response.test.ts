import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { createAdmissions } from '../../src/gate/admissions.ts'
import { type Admission, admissionResponse, paymentNetwork } from '../../src/index.ts'
import { claimedSale as payment } from '../support/claimed-sale.ts'

const network = paymentNetwork('devnet')
const payTo = `0x${'1'.repeat(40)}` as const
const request = {
  headers: {},
  resource: { url: 'https://a.example/', description: '', mimeType: 'application/json' },
  offers: [{ amount: atomicUsdc(10n), model: 'm', priceVersion: 'v1' }],
  requestDigest: '',
  challenge: {},
} as const
const answer = { statusCode: 418, contentType: 'text/plain', body: Buffer.from('x'), expiresAt: 1 }

const admissions = createAdmissions({ network, payTo, maxTimeoutSeconds: 60 })
const named = { 'X-Payment-Id': payment.id, 'x-should-retry': 'false' }
const withIdentifier = { ...payment, clientPaymentId: 'order-000000000000001' }
const rows: readonly (readonly [Admission, object])[] = [
  [
    admissions.required(request),
    { type: 'terms', status: 402, headers: { 'PAYMENT-REQUIRED': expect.any(String) } },
  ],
  [
    admissions.required(request, 'invalid_exact_evm_payload_authorization_value_mismatch'),
    {
      type: 'terms',
      status: 402,
      body: {
        message:
          'The payment does not fit this request (invalid_exact_evm_payload_authorization_value_mismatch). No money moved. Its amount must be 10 atomic units, which are 0.000010 USDC.',
      },
    },
  ],
  [
    admissions.rejected(request, 'no_funds'),
    {
      type: 'terms',
      status: 402,
      body: { message: 'The payment was refused (no_funds) and will not be used.' },
    },
  ],
  ...(['exact', 'batch_settlement'] as const).map(
    (scheme) =>
      [
        admissions.rejected(request, `invalid_${scheme}_evm_payload_authorization_valid_before`),
        {
          type: 'terms',
          status: 402,
          body: {
            message: expect.stringMatching(
              /check the clock of the client\. Sign one that is valid for 60 seconds\.$/,
            ),
          },
        },
      ] as const,
  ),
  [
    admissions.replayed(payment, answer, 2),
    {
      type: 'replay',
      status: 418,
      headers: { ...named, 'Content-Type': 'text/plain', 'Cache-Control': 'private, no-store' },
      body: answer.body,
    },
  ],
  [
    admissions.unreadable(request, 'PAYMENT-SIGNATURE: must be base64'),
    {
      type: 'terms',
      status: 402,
      body: { message: expect.stringContaining('PAYMENT-SIGNATURE: must be base64') },
    },
  ],
  [
    admissions.used(payment),
    { type: 'error', status: 400, headers: named, error: { code: 'authorization_used' } },
  ],
  ...[payment, withIdentifier].map(
    (one) =>
      [
        admissions.used({ ...one, status: 'failed' }),
        {
          type: 'error',
          status: 400,
          error: {
            message: expect.stringContaining('failed and is refunded in full. Sign a new'),
          },
        },
      ] as const,
  ),
  [
    admissions.reused(payment),
    {
      type: 'error',
      status: 400,
      headers: { 'x-should-retry': 'false' },
      error: { code: 'authorization_reused', message: expect.not.stringContaining(payment.id) },
    },
  ],
  ...[admissions.used(withIdentifier), admissions.reused(withIdentifier)].map(
    (admission) =>
      [
        admission,
        {
          type: 'error',
          status: 400,
          error: { message: expect.stringContaining('Sign a new one with another identifier') },
        },
      ] as const,
  ),
  [
    admissions.reused(payment),
    {
      type: 'error',
      status: 400,
      error: { message: expect.stringContaining('X-Replay-Secret differs. Sign a new one for') },
    },
  ],
  [
    admissions.inFlight(payment),
    {
      type: 'error',
      status: 503,
      headers: { ...named, 'Retry-After': '2' },
      error: { code: 'payment_in_flight', message: expect.stringContaining(payment.id) },
    },
  ],
  [
    admissions.unknown(payment),
    {
      type: 'error',
      status: 503,
      headers: { ...named, 'Retry-After': '5' },
      error: { code: 'settlement_unknown', message: expect.stringContaining(payment.id) },
    },
  ],
  [
    admissions.unknown({ ...payment, status: 'settled' }),
    {
      type: 'error',
      error: { message: expect.stringContaining(`${payment.id} cannot be continued`) },
    },
  ],
  [
    admissions.unavailable('chain_unavailable'),
    {
      type: 'error',
      status: 503,
      headers: { 'Retry-After': '5' },
      error: { code: 'payments_unavailable' },
    },
  ],
  [
    admissions.balanceInUse({ authorization: payment.authorization }),
    {
      type: 'error',
      status: 503,
      headers: { 'Retry-After': '2' },
      error: {
        code: 'balance_in_use',
        message: expect.stringContaining(payment.authorization.from),
      },
    },
  ],
]

test.each(rows.map(([admission, response]) => ({ admission, response })))(
  '$admission.status becomes a $response.status',
  ({ admission, response }) => {
    if (admission.status === 'settled') throw new Error('expected an admission that serves nothing')
    expect(admissionResponse(admission)).toMatchObject(response)
  },
)
