import { startDevnet } from '@farebox/devnet'
import type { ChannelResponse } from '@farebox/payments'
import { sellByChannel } from '@farebox/payments/parts'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { computeChannelId } from '@x402/evm/batch-settlement/client'
import { expect, test } from 'vitest'
import { defaultChannelPolicy } from '../../src/policy/channel-policy.ts'
import { presentCall, refusalOf, type SignedCall, signCall } from '../support/channel-payment.ts'
import {
  contextFor,
  encode,
  network,
  resource,
  signAuthorization,
  usdc,
  wirePayload,
} from '../support/pay.ts'
import { admitted, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

const { open, freshPayer } = testPaywallsOn(() => startDevnet())

const ceiling = 30_000n
const deposit = 100_000n
type Payer = ReturnType<typeof freshPayer>

function openShop(): TestPaywall {
  return open({ channels: sellByChannel() })
}

/** A channel with one call of this cost. */
async function openChannel(paywall: TestPaywall, payer: Payer, cost: bigint): Promise<void> {
  const payment = admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  await paywall.gate.complete(payment, { cost: usdc(cost), usage: null, answer: null })
}

/** A refund payload with a voucher up to `stands`, and optionally an amount. */
function signRefund(
  paywall: TestPaywall,
  payer: Payer,
  { stands, amount }: { readonly stands: bigint; readonly amount?: string },
): Promise<SignedCall> {
  const forge = (payload: Readonly<Record<string, unknown>>) => ({
    ...payload,
    type: 'refund',
    ...(amount !== undefined && { amount }),
  })
  return signCall(paywall, payer, { ceiling, base: stands - ceiling, forge })
}

async function ask(paywall: TestPaywall, refund?: SignedCall): Promise<ChannelResponse> {
  const answer = await paywall.channelEndpoint?.answer({ headers: refund?.headers ?? {}, resource })
  if (answer === undefined) throw new Error('the paywall has no channel endpoint')
  return answer
}

function challengeOf({ headers }: ChannelResponse) {
  return decodePaymentRequiredHeader(headers['PAYMENT-REQUIRED'] ?? '')
}

test('a payer gets the rest of its channel back, which sells nothing from then on', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, 25_000n)
  const refund = await signRefund(paywall, payer, { stands: 25_000n })
  const answer = await ask(paywall, refund)
  expect(answer).toMatchObject({
    status: 200,
    body: { status: 'closing', rest: { usdc: '75000', usd: '0.075' } },
  })
  expect(answer.headers['PAYMENT-RESPONSE']).toBeDefined()
  expect(await ask(paywall, refund)).toMatchObject({ status: 200 })
  const next = { base: 25_000n, ceiling, digest: 'b' }
  expect(refusalOf(await presentCall(paywall, payer, next))).toContain('channel_closing')
  const { channelId } = refund
  expect(await paywall.channelEndpoint?.figures(channelId)).toMatchObject({ status: 'closing' })
})

test('without a payment the channel endpoint responds with the terms of a channel alone', async () => {
  const paywall = openShop()
  const answer = await ask(paywall)
  expect(answer.status).toBe(402)
  expect(challengeOf(answer).accepts).toMatchObject([
    { scheme: 'batch-settlement', extra: { withdrawDelay: 86_400, minDeposit: '100000' } },
  ])
})

test('a voucher of a call, which is public after a claim, returns nothing', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, 25_000n)
  const published = await signRefund(paywall, payer, { stands: ceiling })
  const answer = await ask(paywall, published)
  expect(challengeOf(answer)).toMatchObject({
    error: 'invalid_batch_settlement_evm_cumulative_amount_mismatch',
    accepts: [{ extra: { channelState: { chargedCumulativeAmount: '25000' } } }],
  })
  const older = await ask(paywall, await signRefund(paywall, payer, { stands: 10_000n }))
  expect(older.status).toBe(402)
  expect(await paywall.channelEndpoint?.figures(published.channelId)).toMatchObject({
    status: 'open',
  })
})

test('a client that signs a used voucher for its refund learns where its channel stands, although its last call failed', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, 25_000n)
  const second = admitted(await presentCall(paywall, payer, { base: 25_000n, ceiling }))
  await paywall.gate.complete(second, { cost: usdc(ceiling), usage: null, answer: null })
  const highest = { base: 55_000n, ceiling }
  const failed = admitted(await presentCall(paywall, payer, highest))
  await paywall.gate.fail(failed, { reason: 'upstream_unavailable', answer: null })
  const used = await ask(paywall, await signRefund(paywall, payer, { stands: ceiling }))
  expect(challengeOf(used).accepts).toMatchObject([
    {
      extra: {
        channelState: { chargedCumulativeAmount: '55000' },
        voucherState: { signedMaxClaimable: '85000' },
      },
    },
  ])
  // What was shown may be in the hands of a thief.
  const stolen = await presentCall(paywall, payer, { ...highest, digest: 'b' })
  expect(refusalOf(stolen)).toContain('cumulative_amount_mismatch')
  expect(await ask(paywall, await signRefund(paywall, payer, { stands: 55_000n }))).toMatchObject({
    status: 200,
  })
})

test('of two requests for the refund of a channel at once, both are accepted, and one is reported', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, 25_000n)
  const signed = await signRefund(paywall, payer, { stands: 25_000n })
  const answers = await Promise.all([ask(paywall, signed), ask(paywall, signed)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const { channelId } = signed
  expect(paywall.notices.filter(({ type }) => type === 'channel_closing')).toMatchObject([
    { channel: { id: channelId }, reason: 'payer_asked' },
  ])
})

test('a further refund is made at once only if the charges pay for its gas too', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, 25_000n)
  const signed = await signRefund(paywall, payer, { stands: 25_000n })
  const { store, clock } = paywall
  const at = clock()
  const hash = (digit: string) => `0x${digit.repeat(64)}` as const
  const proof = { block: 1, blockHash: hash('1'), logIndex: 0 }
  const amount = usdc(75_000n)
  const channel = { id: signed.channelId }
  const refund = { ...proof, transaction: hash('a') }
  await store.applyToChannel(channel, { type: 'closing', at })
  await store.applyToChannel(channel, { type: 'returned', by: 'refund', amount, proof: refund, at })
  const topUp = { ...proof, transaction: hash('b') }
  await store.applyToChannel(channel, { type: 'deposit_proven', amount, proof: topUp, at })
  const answer = await ask(paywall, signed)
  expect(challengeOf(answer).error).toMatch(/refund_too_early/)
  paywall.passSeconds(3_600)
  expect((await ask(paywall, signed)).status).toBe(200)
})

const tooEarly =
  /^The channel can be closed after 2.* UTC, or as soon as its calls have cost 0.02 USDC in all/

test.each([
  ['a young channel that was charged little', 1_000n, undefined, 'refund_too_early', tooEarly],
  ['a part of the rest', 25_000n, '1', 'refund_amount_invalid', /all that is left, 0.075 USDC/],
] as const)('%s is not returned', async (_, cost, amount, reason, message) => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, cost)
  const refund = { stands: cost, ...(amount !== undefined && { amount }) }
  const answer = await ask(paywall, await signRefund(paywall, payer, refund))
  expect(challengeOf(answer).error).toContain(reason)
  expect(answer.body['message']).toMatch(message)
})

test('an hour later a channel that was charged little is returned', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await openChannel(paywall, payer, 1_000n)
  paywall.passSeconds(3_601)
  expect(await ask(paywall, await signRefund(paywall, payer, { stands: 1_000n }))).toMatchObject({
    status: 200,
  })
})

test('an unknown channel, a voucher of another signer and a call are refused', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const unknown = await ask(paywall, await signRefund(paywall, payer, { stands: 1n }))
  expect(challengeOf(unknown).error).toContain('channel_not_found')
  await openChannel(paywall, payer, 25_000n)
  const other = freshPayer()
  const { config } = await signCall(paywall, payer, { ceiling })
  const forge = (payload: Readonly<Record<string, unknown>>) => ({
    ...payload,
    type: 'refund',
    channelConfig: config,
    voucher: {
      ...(payload['voucher'] as object),
      channelId: computeChannelId(config, network.caip2),
    },
  })
  const stolen = await signCall(paywall, other, { ceiling, base: 25_000n - ceiling, forge })
  expect(challengeOf(await ask(paywall, stolen)).error).toContain('voucher_signature')
  const call = await signCall(paywall, payer, { ceiling, base: 25_000n })
  expect(challengeOf(await ask(paywall, call)).error).toContain('refund_payload')
  expect(await paywall.channelEndpoint?.figures('0x12')).toBeUndefined()
})

test('a payment by exact is refused at the channel endpoint with the scheme that it takes', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const to = payer.address
  const signed = await signAuthorization({ signer: payer, to, value: ceiling })
  const envelope = wirePayload(signed, contextFor(to, ceiling)).v2
  const headers = { 'payment-signature': encode(envelope) }
  const answer = await paywall.channelEndpoint?.answer({ headers, resource })
  expect(answer && challengeOf(answer).error).toBe(
    'invalid_batch_settlement_evm_refund_payload (scheme: must be batch-settlement of version 2)',
  )
})

test('a deposit is taken at the channel endpoint although no call needs it', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const { minCharge } = defaultChannelPolicy
  const first = await signCall(paywall, payer, { ceiling: minCharge, deposit })
  const opened = { status: 'open', rest: { usdc: '100000', usd: '0.1' } }
  expect(await ask(paywall, first)).toMatchObject({ status: 200, body: opened })
  expect(await ask(paywall, first)).toMatchObject({ status: 200, body: opened })
  const more = await signCall(paywall, payer, { ceiling: minCharge, deposit: 50_000n })
  expect(await ask(paywall, more)).toMatchObject({
    status: 200,
    body: { charged: { usdc: '0' }, reserved: { usdc: '0' }, rest: { usdc: '150000' } },
  })
  const tooSmall = await signCall(paywall, payer, { ceiling: minCharge, deposit: 1_000n })
  expect(await ask(paywall, tooSmall)).toMatchObject({
    status: 402,
    body: { message: expect.stringContaining('deposit at least 0.02.') },
  })
})
