import { startDevnet } from '@farebox/devnet'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { expect, test } from 'vitest'
import { beginCall, buyFirst, setUpChannels } from '../support/channel-setup.ts'
import { usdc } from '../support/pay.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

const { open, payer } = testPaywallsOn(() => startDevnet())

test('the receipt of a call states its cost although the clock was set during the call', async () => {
  const setup = setUpChannels(open)
  const { gate, passSeconds } = setup.paywall
  const first = await buyFirst(setup, payer(0), 400n)
  const another = await buyFirst(setup, payer(1), 400n)
  const call = await beginCall(setup, payer(0), first)
  passSeconds(7_200)
  await setup.rounds.runOnce()
  await beginCall(setup, payer(1), another)
  const { headers } = await gate.complete(call, { cost: usdc(700n), usage: null, answer: null })
  expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')).toMatchObject({
    extra: { cost: '700' },
  })
})
