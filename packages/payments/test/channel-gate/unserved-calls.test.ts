import { startDevnet } from '@farebox/devnet'
import type { PaymentRecord } from '@farebox/ledger'
import type { Admission } from '@farebox/payments'
import { expect, test } from 'vitest'
import { type CallSigning, callFor, refusalOf, signCall } from '../support/channel-payment.ts'
import { buyFirst, type ChannelSetup, deposit, setUpChannels } from '../support/channel-setup.ts'
import { usdc } from '../support/pay.ts'
import { admitted } from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

const { balance, open, payer } = auditedTestPaywallsOn(() => startDevnet({ payers: 6 }))
const ceiling = 10_000n
const answer = { statusCode: 200, contentType: 'application/json', body: Buffer.from('{}') }
const [address, other] = ['192.0.2.1', '192.0.2.2'] as const

/** Presents a call from a network address. */
async function present(
  { paywall }: ChannelSetup,
  index: number,
  { from, ...signing }: Partial<CallSigning> & { readonly from?: string },
): Promise<Admission> {
  const call = { ceiling, ...signing }
  const { headers } = await signCall(paywall, payer(index), call)
  return await paywall.gate.admit({ ...callFor(headers, call), clientAddress: from })
}

/** Ends a call as one whose failure its request may have provoked. */
async function fail({ paywall }: ChannelSetup, call: PaymentRecord): Promise<void> {
  const reason = 'upstream_unavailable'
  await paywall.gate.fail(call, { reason, answer, faultOf: 'payer', clientAddress: address })
}

test('a payer whose calls by channel end unserved is refused for ten minutes', async () => {
  const setup = setUpChannels(open, { policy: { faultsPerPayer: 2 } })
  await buyFirst(setup, payer(0), 4_000n)
  const first = { base: 4_000n, digest: 'first' }
  const served = { cost: usdc(1_000n), usage: null, answer }
  await setup.paywall.gate.complete(admitted(await present(setup, 0, first)), served)
  const next = { base: 5_000n, digest: 'next' }
  for (let failure = 0; failure < 2; failure += 1) {
    await fail(setup, admitted(await present(setup, 0, next)))
  }
  expect(refusalOf(await present(setup, 0, next))).toMatch(
    /^payer_refused: Too many payments of this payer ended unserved/,
  )
  expect(await present(setup, 0, first)).toMatchObject({ status: 'replayed' })
  setup.paywall.passSeconds(601)
  await setup.rounds.runOnce()
  admitted(await present(setup, 0, next))
})

test('payers whose calls by channel end unserved share the limit of their network address', async () => {
  const setup = setUpChannels(open, { policy: { unservedPerAddress: 2 } })
  for (const index of [0, 1]) {
    await buyFirst(setup, payer(index), 4_000n)
    await fail(setup, admitted(await present(setup, index, { base: 4_000n })))
  }
  await buyFirst(setup, payer(2), 4_000n)
  const call = { base: 4_000n, digest: 'b' }
  const refusal = /^payer_refused: Too many payments from this network address ended unserved/
  expect(refusalOf(await present(setup, 2, { ...call, from: address }))).toMatch(refusal)
  expect(refusalOf(await present(setup, 3, { deposit, from: address }))).toMatch(refusal)
  expect(await balance(3)).toBe(funds)
  admitted(await present(setup, 2, { ...call, from: other }))
})
