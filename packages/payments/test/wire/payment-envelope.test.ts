import { isPaymentPayloadV2 } from '@x402/core/schemas'
import { expect, test } from 'vitest'
import { readEnvelope } from '../../src/wire/payment-envelope.ts'
import { encode } from '../support/pay.ts'

const payment = {
  x402Version: 2,
  resource: {
    url: 'https://gateway.example/v1/chat/completions',
    description: 'A chat completion.',
    mimeType: 'application/json',
    serviceName: 'Farebox',
    tags: ['ai', 'chat'],
    iconUrl: 'https://gateway.example/icon.png',
  },
  accepted: {
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '500',
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    payTo: '0x00000000000000000000000000000000000f00d1',
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
  },
  payload: { signature: '0x' },
  extensions: { 'payment-identifier': {} },
}

/** What a field may hold in place of what belongs there. */
const others = [
  undefined,
  null,
  true,
  0,
  -1,
  0.5,
  2,
  '',
  'x',
  'a:',
  'a:b',
  'é',
  'x'.repeat(32),
  'x'.repeat(33),
  'x'.repeat(2048),
  'x'.repeat(2049),
  [],
  [''],
  ['x', 1],
  ['a', 'b', 'c', 'd', 'e', 'f'],
  {},
  { url: 'x' },
  { url: 'x', tags: null, serviceName: null },
]

/** Every version of a value with one part of it replaced by each of the others. */
function* variants(value: unknown): Generator {
  yield* others
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    for (const other of variants(part)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
    }
  }
}

test('reads every payment of version 2 that @x402/core takes, and no other', () => {
  const payments = [payment, ...variants(payment)].filter((sent) => sent !== undefined)
  const verdicts = payments.map((sent) => {
    const { status } = readEnvelope({ 'payment-signature': encode(sent) })
    return { sent, isRead: status === 'read', isTaken: isPaymentPayloadV2(sent) }
  })
  expect(verdicts.filter(({ isRead, isTaken }) => isRead !== isTaken)).toEqual([])
  expect(new Set(verdicts.map(({ isTaken }) => isTaken))).toEqual(new Set([true, false]))
})
