import { decodePayment } from '@farebox/payments/wire'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { SignedPayment } from '../../src/wire/signed-payment.ts'
import { restorePayload, storePayload } from '../../src/wire/stored-payload.ts'
import { claimedSale } from '../support/claimed-sale.ts'
import { contextFor, encode, signAuthorization, wirePayload } from '../support/pay.ts'

const payTo: Hex = '0x00000000000000000000000000000000000f00d1'
const privateKey: Hex = `0x${'7'.repeat(64)}`
const signer = { privateKey, address: privateKeyToAccount(privateKey).address }

async function decodedSale(): Promise<SignedPayment> {
  const context = contextFor(payTo, 500n)
  const signed = await signAuthorization({ signer, to: payTo, value: 500n })
  const header = encode(wirePayload(signed, context).v2)
  const decoded = decodePayment({ 'payment-signature': header }, context)
  if (decoded.status !== 'decoded') throw new Error(`the payment is ${decoded.status}`)
  return decoded.payment
}

function restored(signed: SignedPayment, payload: string): SignedPayment | undefined {
  const { authorization, clientPaymentId } = signed
  return restorePayload({ ...claimedSale, authorization, clientPaymentId, payload })
}

test('a sale is restored as it was decoded, and its authorization is stored once', async () => {
  const sale = await decodedSale()
  const stored = storePayload(sale)
  expect(restored(sale, stored)).toEqual(sale)
  expect(stored).not.toContain(sale.authorization.nonce)
})

test('a sale whose whole payload is stored is restored too', async () => {
  const sale = await decodedSale()
  const { protocol, network, signature, payload, requirements } = sale
  const stored = JSON.stringify({ protocol, network, signature, payload, requirements })
  expect(restored(sale, stored)).toEqual(sale)
})

test('a deposit is restored with its own payload', async () => {
  const sale = await decodedSale()
  const deposit = { ...sale, payload: { x402Version: 2, payload: { type: 'deposit' } } }
  expect(restored(deposit, storePayload(deposit))).toEqual(deposit)
})
