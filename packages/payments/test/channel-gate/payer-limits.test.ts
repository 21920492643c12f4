import { startDevnet } from '@farebox/devnet'
import type { PayerLimits } from '@farebox/payments'
import { expect, test } from 'vitest'
import { callFor, presentCall, signCall } from '../support/channel-payment.ts'
import { beginCall, buyFirst, complete, deposit, setUpChannels } from '../support/channel-setup.ts'
import { usdc } from '../support/pay.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

const { balance, open, payer } = auditedTestPaywallsOn(() => startDevnet())
const ceiling = 10_000n

test.each<readonly [string, Partial<PayerLimits>]>([
  ['in a minute', { requestsPerMinute: 2 }],
  ['in a day', { spendPerDay: usdc(4_000n + 3_000n + ceiling - 1n) }],
])('a payer buys from its channel as much as it may %s', async (_, own) => {
  const none = { requestsPerMinute: null, spendPerDay: null }
  let limits: PayerLimits = { ...none, ...own }
  const setup = setUpChannels(open, { payerLimits: () => limits })
  const { paywall } = setup
  const call = await buyFirst(setup, payer(0), 4_000n)
  const second = { ceiling, base: 4_000n, digest: 'second' }
  const held = await presentCall(paywall, payer(0), second)
  expect(held.status).toBe('settled')
  if (held.status === 'settled') await complete(paywall, held.payment, 3_000n)
  const third = { ceiling, base: 7_000n, digest: 'third' }
  expect(await presentCall(paywall, payer(0), third)).toMatchObject({
    status: 'limited',
    code: 'payer_limit_reached',
  })
  limits = none
  expect((await beginCall(setup, payer(0), call)).status).toBe('serving')
})

test('a deposit is not made for a call beyond a limit of its payer', async () => {
  const spendPerDay = usdc(ceiling - 1n)
  const setup = setUpChannels(open, {
    payerLimits: () => ({ requestsPerMinute: null, spendPerDay }),
  })
  await setup.rounds.runOnce()
  const call = await signCall(setup.paywall, payer(1), { ceiling, deposit })
  const admission = await setup.paywall.gate.admit(callFor(call.headers, { ceiling }))
  expect(admission).toMatchObject({ status: 'limited', code: 'payer_limit_reached' })
  expect(await balance(1)).toBe(funds)
})

test('nothing is sold while a limit of a payer is misspelled', async () => {
  const limits = { requestsPerMinute: null, spendPerDay: null, spendPerDy: 1n }
  const setup = setUpChannels(open, { payerLimits: () => limits })
  await setup.rounds.runOnce()
  const call = await signCall(setup.paywall, payer(2), { ceiling, deposit })
  expect(await setup.paywall.gate.admit(callFor(call.headers, { ceiling }))).toMatchObject({
    status: 'unavailable',
    reason: 'spendPerDy is not a limit of a payer',
  })
  expect(await balance(2)).toBe(funds)
})
