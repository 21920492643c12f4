import { startDevnet } from '@farebox/devnet'
import { createMemoryStore, type Hex } from '@farebox/ledger'
import { sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import {
  callFor,
  channelEntry,
  presentCall,
  refusalOf,
  type SignedCall,
  signCall,
} from '../support/channel-payment.ts'
import { usdc } from '../support/pay.ts'
import { admitted, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

const { open, freshPayer } = testPaywallsOn(() => startDevnet({ payers: 40 }))

const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
const ceiling = 1_000n
const deposit = 100_000n

function openShop(options: Parameters<typeof open>[0] = {}): TestPaywall {
  return open({ channels: sellByChannel(), ...options })
}

/** Buys the first call of a channel, at this cost. */
async function buyFirst(
  paywall: TestPaywall,
  payer: Parameters<typeof signCall>[1],
  cost: bigint,
): Promise<SignedCall> {
  const call = await signCall(paywall, payer, { ceiling, deposit })
  const payment = admitted(await paywall.gate.admit(callFor(call.headers, { ceiling })))
  await paywall.gate.complete(payment, { cost: usdc(cost), usage: null, answer: null })
  return call
}

async function channelOf(paywall: TestPaywall, { channelId }: SignedCall) {
  const channel = await paywall.store.loadChannel(channelId)
  if (channel === undefined) throw new Error('the channel is unknown')
  return channel
}

test('a used voucher buys nothing at a price that it would cover', async () => {
  const paywall = openShop()
  const victim = freshPayer()
  const first = await buyFirst(paywall, victim, 300n)
  // 1,000 were signed and 300 charged: a request for 700 fits the sum.
  const tuned = callFor({}, { ceiling: 700n, digest: 'b' })
  const accepted = channelEntry(await paywall.gate.admit(tuned))
  const { channelConfig, voucher } = first.payload
  const stolen = { type: 'voucher', channelConfig, voucher }
  const header = Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload: stolen }))
  const headers = { 'payment-signature': header.toString('base64') }
  const admission = await paywall.gate.admit({ ...tuned, headers })
  expect(refusalOf(admission)).toBe(mismatch)
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 300n, reserved: 0n })
})

test('a correction shows no usable voucher to a client that presents a used one', async () => {
  const paywall = openShop({ channels: sellByChannel({ policy: { turnMs: 1 } }) })
  const victim = freshPayer()
  await buyFirst(paywall, victim, 1_000n)
  const second = admitted(await presentCall(paywall, victim, { base: 1_000n, ceiling }))
  await paywall.gate.complete(second, { cost: usdc(1_000n), usage: null, answer: null })
  const shownAfterUse = await presentCall(paywall, victim, { ceiling, digest: 'b' })
  expect(channelEntry(shownAfterUse).extra['voucherState']).toMatchObject({
    signedMaxClaimable: '2000',
  })
  // The highest voucher: its call failed, so it could pay for another one.
  const failed = admitted(await presentCall(paywall, victim, { base: 2_000n, ceiling: 5_000n }))
  await paywall.gate.fail(failed, { reason: 'upstream_unavailable', answer: null })
  const replay = await presentCall(paywall, victim, { ceiling, digest: 'c' })
  expect(refusalOf(replay)).toBe(mismatch)
  expect(channelEntry(replay).extra['voucherState']).toMatchObject({ signedMaxClaimable: '7000' })
  const stolen = { base: 2_000n, ceiling: 5_000n, digest: 'd' }
  expect(refusalOf(await presentCall(paywall, victim, stolen))).toBe(mismatch)
})

test('a call that cost nothing frees its voucher, and one that cost something does not', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await buyFirst(paywall, payer, 300n)
  const failed = admitted(await presentCall(paywall, payer, { base: 300n, ceiling }))
  const { headers } = await paywall.gate.fail(failed, { reason: 'failed', answer: null })
  expect(headers['PAYMENT-RESPONSE']).toBeDefined()
  const again = await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'b' })
  await paywall.gate.complete(admitted(again), { cost: usdc(1n), usage: null, answer: null })
  const used = await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'c' })
  expect(refusalOf(used)).toBe(mismatch)
})

test('the same call gets the same answer, and while it is served a 503', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await buyFirst(paywall, payer, 300n)
  const { headers } = await signCall(paywall, payer, { base: 300n, ceiling })
  const request = callFor(headers, { ceiling, digest: 'same' })
  const payment = admitted(await paywall.gate.admit(request))
  expect(payment.authorization.validBefore).toBeGreaterThan(paywall.clock() / 1000)
  expect(await paywall.gate.admit(request)).toMatchObject({ code: 'payment_in_flight' })
  const answer = { statusCode: 200, contentType: 'application/json', body: Buffer.from('{}') }
  await paywall.gate.complete(payment, { cost: usdc(500n), usage: null, answer })
  const replayed = { status: 'replayed', payment: { id: payment.id } }
  expect(await paywall.gate.admit(request)).toMatchObject(replayed)
  const stopped = { ...request, salesStoppedReason: 'treasury_short' }
  expect(await paywall.gate.admit(stopped)).toMatchObject(replayed)
  paywall.passSeconds(3_600)
  expect(refusalOf(await paywall.gate.admit(request))).toBe(mismatch)
})

test('the voucher that a correction names buys the corrected call alone, while it is awaited', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  await buyFirst(paywall, payer, 300n)
  const behind = await presentCall(paywall, payer, { ceiling, digest: 'b' })
  expect(refusalOf(behind)).toBe(mismatch)
  const named = { base: 300n, ceiling }
  const { headers } = await signCall(paywall, payer, named)
  const other = paywall.gate.admit(callFor(headers, { ceiling, digest: 'c' }))
  const own = await paywall.gate.admit(callFor(headers, { ceiling, digest: 'b' }))
  expect(admitted(own)).toMatchObject({ requestDigest: 'b'.padEnd(64, '0') })
  expect(refusalOf(await other)).toBe(mismatch)
})

test('a voucher below the ceiling of its call is corrected, however much was signed before', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 300n)
  const signed = admitted(await presentCall(paywall, payer, { base: 50_000n, ceiling }))
  await paywall.gate.complete(signed, { cost: usdc(1n), usage: null, answer: null })
  const low = await presentCall(paywall, payer, { base: -200n, ceiling, digest: 'b' })
  expect(refusalOf(low)).toBe(mismatch)
  expect(channelEntry(low).extra['channelState']).toBeDefined()
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 301n, reserved: 0n })
})

test('two requests with one voucher, on two replicas at once, are served once', async () => {
  const one = openShop({ owner: 'replica-1' })
  const two = openShop({ owner: 'replica-2', store: one.store })
  const payer = freshPayer()
  const first = await buyFirst(one, payer, 300n)
  const { headers } = await signCall(one, payer, { base: 300n, ceiling })
  const admissions = await Promise.all([
    one.gate.admit(callFor(headers, { ceiling, digest: 'b' })),
    two.gate.admit(callFor(headers, { ceiling, digest: 'c' })),
  ])
  expect(admissions.map(({ status }) => status).sort()).toEqual(['rejected', 'settled'])
  expect(await channelOf(one, first)).toMatchObject({ reserved: ceiling })
})

test('a lower voucher is corrected, and one above what is needed is accepted', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 800n)
  const lower = await presentCall(paywall, payer, { base: 100n, ceiling, digest: 'b' })
  expect(refusalOf(lower)).toBe(mismatch)
  expect(channelEntry(lower).extra).toMatchObject({
    channelState: { channelId: first.channelId, chargedCumulativeAmount: '800', balance: '100000' },
  })
  admitted(await presentCall(paywall, payer, { base: 5_000n, ceiling, digest: 'c' }))
  expect(await channelOf(paywall, first)).toMatchObject({ signed: 6_000n, reserved: 1_000n })
})

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function withSignature(change: (signature: Hex) => Hex) {
  return (payload: Readonly<Record<string, unknown>>) => {
    const voucher = payload['voucher'] as { readonly signature: Hex }
    return { ...payload, voucher: { ...voucher, signature: change(voucher.signature) } }
  }
}

test.each([
  {
    name: 'a high s',
    change: (signature: Hex): Hex => {
      const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
      return `0x${signature.slice(2, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`
    },
  },
  {
    name: 'v of 0 or 1',
    change: (signature: Hex): Hex =>
      `0x${signature.slice(2, -2)}${signature.endsWith('1b') ? '00' : '01'}`,
  },
])('a voucher with $name, which the contract refuses, buys nothing', async ({ change }) => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 300n)
  const forge = withSignature(change)
  const admission = await presentCall(paywall, payer, { base: 300n, ceiling, forge })
  expect(refusalOf(admission)).toContain('invalid_batch_settlement_evm_voucher_signature')
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 300n, reserved: 0n })
})

const stranger: Hex = `0x${'5'.repeat(40)}`

test.each([
  ['receiver', stranger, 'receiver_mismatch'],
  ['receiverAuthorizer', stranger, 'receiver_authorizer_mismatch'],
  ['token', stranger, 'token_mismatch'],
  ['withdrawDelay', 900, 'withdraw_delay_mismatch'],
  ['payerAuthorizer', `0x${'0'.repeat(40)}`, 'authorizer_address_mismatch'],
] as const)('a channel with another %s is refused', async (name, value, reason) => {
  const paywall = openShop()
  const config = { [name]: value }
  const admission = await presentCall(paywall, freshPayer(), { ceiling, deposit, config })
  expect(refusalOf(admission)).toContain(`invalid_batch_settlement_evm_${reason}`)
})

test("a channel's id must be that of its configuration, and our own accounts cannot pay", async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const forge = (payload: Readonly<Record<string, unknown>>) => ({
    ...payload,
    channelConfig: { ...(payload['channelConfig'] as object), salt: `0x${'1'.repeat(64)}` },
  })
  const other = await presentCall(paywall, payer, { ceiling, deposit, forge })
  expect(refusalOf(other)).toContain('channel_id_mismatch')
  const own = { payer: paywall.devnet.relayer.address }
  const relayer = await presentCall(paywall, payer, { ceiling, deposit, config: own })
  expect(refusalOf(relayer)).toContain('invalid_batch_settlement_evm_payer')
})

test.each([
  ['as it is', 'channel_id_mismatch', {}],
  ["with the thief's channel id", 'voucher_signature', null],
] as const)('a voucher of another channel, %s, buys nothing', async (_, reason, changes) => {
  const paywall = openShop()
  const [victim, thief] = [freshPayer(), freshPayer()]
  const first = await buyFirst(paywall, victim, 300n)
  const { channelId } = await buyFirst(paywall, thief, 300n)
  const { payload } = await signCall(paywall, victim, { base: 300n, ceiling })
  const voucher = { ...(payload['voucher'] as object), ...(changes ?? { channelId }) }
  const forge = (own: Readonly<Record<string, unknown>>) => ({ ...own, voucher })
  const call = { base: 300n, ceiling, digest: 'b', forge }
  expect(refusalOf(await presentCall(paywall, thief, call))).toContain(reason)
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 300n, reserved: 0n })
})

test('nothing is sold from a channel once a withdrawal is announced, and exact continues', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 300n)
  const channel = await channelOf(paywall, first)
  const withdrawAt = Math.floor(Date.now() / 1000) + 86_400
  await paywall.store.applyToChannel(channel, {
    type: 'withdraw_announced',
    withdrawAt,
    at: Date.now(),
  })
  const voucher = await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'b' })
  expect(refusalOf(voucher)).toContain('channel_withdrawal_pending')
  const topUp = { base: 300n, ceiling: 100_000n, deposit, digest: 'c' }
  expect(refusalOf(await presentCall(paywall, payer, topUp))).toContain('withdrawal_pending')
})

test.each(['closing', 'frozen'] as const)(
  'nothing is sold from a %s channel, or taken into it',
  async (state) => {
    const paywall = openShop()
    const payer = freshPayer()
    const first = await buyFirst(paywall, payer, 300n)
    const channel = await channelOf(paywall, first)
    const at = Date.now()
    await paywall.store.applyToChannel(
      channel,
      state === 'closing' ? { type: state, at } : { type: state, reason: 'chain_ahead', at },
    )
    const admission = await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'b' })
    expect(refusalOf(admission)).toContain(`channel_${state}`)
    const dear = { base: 300n, ceiling: 150_000n, deposit, digest: 'b' }
    expect(refusalOf(await presentCall(paywall, payer, dear))).toContain(`channel_${state}`)
    expect(await channelOf(paywall, first)).toMatchObject({ deposited: deposit })
  },
)

test('a channel sells up to its limit of unclaimed charges, and all together up to theirs', async () => {
  const one = openShop({
    channels: sellByChannel({ policy: { maxUnclaimed: usdc(1_500n) } }),
  })
  const payer = freshPayer()
  await buyFirst(one, payer, 600n)
  const beyond = await presentCall(one, payer, { base: 600n, ceiling, digest: 'b' })
  expect(refusalOf(beyond)).toContain('channel_limit_reached')
  const all = openShop({
    channels: sellByChannel({ policy: { maxUnclaimedTotal: usdc(900n) } }),
  })
  const first = await presentCall(all, freshPayer(), { ceiling, deposit })
  expect(refusalOf(first)).toContain('channels_limit_reached')
})

test('calls that are admitted at once stay together within the limits', async () => {
  const store = createMemoryStore()
  const policy = { maxUnclaimed: usdc(2_500n), maxUnclaimedTotal: usdc(3_500n), newPayers: 1n }
  const channels = sellByChannel({ policy })
  const [one, other] = [openShop({ store, channels }), openShop({ store, channels })]
  const payers = [freshPayer(), freshPayer()]
  for (const payer of payers) await buyFirst(one, payer, 300n)
  one.passSeconds(2)
  other.passSeconds(2)
  const calls = ['b', 'c', 'd', 'e', 'f', 'g'].map((digest, index) =>
    presentCall(index % 2 === 0 ? one : other, payers[index < 4 ? 0 : 1]!, {
      base: 300n + BigInt(index) * ceiling,
      ceiling,
      digest,
    }),
  )
  const admissions = await Promise.all(calls)
  const settled = admissions.filter(({ status }) => status === 'settled')
  expect(settled).toHaveLength(2)
  const { claimable, reserved } = await store.channelTotals()
  expect(claimable + reserved).toBe(600n + 2n * ceiling)
})

test('nothing is sold from channels while they are not watched', async () => {
  const paywall = openShop({
    channels: sellByChannel({ obstacle: async () => 'channels_not_watched' }),
  })
  const admission = await presentCall(paywall, freshPayer(), { ceiling, deposit })
  expect(refusalOf(admission)).toContain('channels_not_watched')
})

test('a ledger that lost its channels serves nothing on their vouchers', async () => {
  const before = openShop()
  const payer = freshPayer()
  await buyFirst(before, payer, 300n)
  const after = openShop({ store: createMemoryStore() })
  const admission = await presentCall(after, payer, { base: 300n, ceiling, digest: 'b' })
  expect(refusalOf(admission)).toBe(mismatch)
  expect(channelEntry(admission).extra['channelState']).toBeUndefined()
  const channels = sellByChannel({ obstacle: async () => 'channels_not_watched' })
  const unwatched = openShop({ store: createMemoryStore(), channels })
  const other = await presentCall(unwatched, payer, { base: 300n, ceiling, digest: 'c' })
  expect(refusalOf(other)).toBe(mismatch)
})

test('a service that outlasts the time to pay is charged', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 300n)
  const payment = admitted(await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'b' }))
  paywall.passSeconds(1_200)
  await paywall.gate.complete(payment, { cost: usdc(700n), usage: null, answer: null })
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 1_000n, reserved: 0n })
})

test('a stale price gets the current one', async () => {
  const paywall = openShop()
  const { headers } = await signCall(paywall, freshPayer(), { ceiling, deposit })
  const admission = await paywall.gate.admit(callFor(headers, { ceiling: 1_200n }))
  expect(admission.status).toBe('required')
  expect(channelEntry(admission).amount).toBe('1200')
})

test('a client that disconnects before its service costs nothing', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 300n)
  const { headers } = await signCall(paywall, payer, { base: 300n, ceiling })
  const request = callFor(headers, { ceiling, digest: 'b' })
  await paywall.gate.abandon(admitted(await paywall.gate.admit(request)), 'client_left')
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 300n, reserved: 0n })
  admitted(await paywall.gate.admit(request))
})

test('a crash while serving releases the hold', async () => {
  const paywall = openShop({ policy: { leaseMs: 2_000 } })
  const payer = freshPayer()
  const first = await buyFirst(paywall, payer, 300n)
  const { headers } = await signCall(paywall, payer, { base: 300n, ceiling })
  const request = callFor(headers, { ceiling, digest: 'b' })
  const payment = admitted(await paywall.gate.admit(request))
  paywall.gate.close()
  paywall.passSeconds(60)
  await paywall.recovery.runOnce()
  expect(await paywall.store.load(payment.id)).toMatchObject({
    status: 'failed',
    cost: 0n,
    reason: 'service_interrupted',
  })
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 300n, reserved: 0n })
  const restarted = openShop({ store: paywall.store })
  admitted(await restarted.gate.admit(request))
})
