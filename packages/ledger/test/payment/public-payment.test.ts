import { expect, test } from 'vitest'
import { hex, proof, refundNonce } from '../../src/conformance/fixtures.ts'
import { exportLine, publicPayment } from '../../src/index.ts'
import { entriesFor } from '../../src/store.ts'
import { events, type SampleName, samples } from '../support/sample-payments.ts'

test('a public payment is the plain JSON of the contract', () => {
  const record = samples['completed, confirmed']
  const shown = publicPayment({ ...record, usage: { inputTokens: 3, source: 'provider' } })
  expect(JSON.parse(JSON.stringify(shown))).toEqual({
    id: 'pay_00000000000100000000000000000000',
    status: 'completed',
    resource: 'https://gateway.example/v1/chat/completions',
    model: 'maker/model',
    network: 'eip155:84532',
    asset: hex(0xa55e7, 20),
    payer: hex(0xfa01, 20),
    paid: { usdc: '1000', usd: '0.001' },
    cost: { usdc: '400', usd: '0.0004' },
    refund: {
      usdc: '600',
      usd: '0.0006',
      status: 'confirmed',
      transaction: proof(2).transaction,
    },
    settlement: { transaction: proof(1).transaction, block: 101 },
    usage: { inputTokens: 3, source: 'provider' },
    createdAt: '2023-11-14T22:13:20.001Z',
    updatedAt: '2023-11-14T22:13:20.001Z',
  })
})

test('neither the digest nor the payload, which holds the signature, is shown', () => {
  for (const record of Object.values(samples)) {
    const text = JSON.stringify(exportLine(record, []))
    expect(text).not.toContain('payload')
    expect(text).not.toContain(JSON.stringify(record.payload ?? 'payload'))
    expect(text).not.toContain(record.requestDigest)
  }
})

test.each([
  ['completed, accruing', 'accruing'],
  ['completed, due', 'due'],
  ['completed, submitted', 'submitted'],
  ['completed, blocked', 'blocked'],
  ['completed, written off', 'blocked'],
  ['completed, lost', 'blocked'],
] as const)('the refund of %s is shown as %s', (name, status) => {
  expect(publicPayment(samples[name]).refund?.status).toBe(status)
})

test.each([
  ['rejected', '0'],
  ['void', '0'],
  ['settling', '1000'],
  ['failed', '1000'],
] as const)('%s shows %s as paid', (name: SampleName, usdc) => {
  expect(publicPayment(samples[name]).paid.usdc).toBe(usdc)
})

test('a failed payment costs 0', () => {
  expect(publicPayment(samples.failed).cost).toEqual({ usdc: '0', usd: '0' })
})

test('an export line adds the authorization, the refund nonce and both sides of each entry', () => {
  const entries = entriesFor(samples.serving, events.service_completed)
  const line = exportLine(samples['completed, due'], entries)
  const at = '2023-11-14T22:13:20.001Z'
  expect(line).toMatchObject({
    id: samples.settling.id,
    authorization: { from: hex(0xfa01, 20), nonce: hex(0xabc001, 32), validBefore: 1_700_000_300 },
    refundNonce: refundNonce(1),
    priceVersion: '2026-11-20',
    entries: [
      { account: 'liability', debit: '600', credit: '0', at },
      { account: 'refunds_payable', debit: '0', credit: '600', at },
      { account: 'liability', debit: '400', credit: '0', at },
      { account: 'revenue', debit: '0', credit: '400', at },
    ],
  })
})
