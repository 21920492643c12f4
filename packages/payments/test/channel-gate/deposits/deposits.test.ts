import { type Devnet, startDevnet, usdcAddress } from '@farebox/devnet'
import type { Hex, LedgerStore } from '@farebox/ledger'
import type { AdmissionRequest } from '@farebox/payments'
import type { Facilitator } from '@farebox/payments/chain'
import { sellByChannel } from '@farebox/payments/parts'
import { createWalletClient, encodeFunctionData, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { depositCollector } from '../../../src/chain/addresses.ts'
import {
  callFor,
  depositReceiptOf,
  presentCall,
  refusalOf,
  signCall,
} from '../../support/channel-payment.ts'
import { signAuthorization, usdc } from '../../support/pay.ts'
import { admitted, type TestPaywall } from '../../support/test-paywall.ts'
import { testPaywallsOn } from '../../support/test-paywalls.ts'

let devnet: Devnet
const { open, freshPayer } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 30 })
  return devnet
})

const ceiling = 1_000n
const deposit = 100_000n

function openShop(options: Parameters<typeof open>[0] = {}): TestPaywall {
  return open({ channels: sellByChannel(), ...options })
}

/** The real facilitator, with something before or instead of it. */
function around(
  paywall: TestPaywall,
  settle: (real: Facilitator) => Facilitator['settle'],
): Facilitator {
  return { name: 'test', settle: settle(paywall.facilitator) }
}

test('a deposit is proven before its call is served', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const payment = admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  expect(payment).toMatchObject({ kind: 'channel_call', status: 'serving', settlement: null })
  expect(await paywall.devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
  const channel = await paywall.store.loadChannel(payment.channelId!)
  expect(channel).toMatchObject({ status: 'open', deposited: deposit, reserved: ceiling })
})

test('a wallet that is emptied between the check and the deposit buys nothing', async () => {
  const real = openShop()
  const payer = freshPayer()
  const facilitator = around(real, ({ settle }) => async (payment, signal) => {
    await empty(real, payer.privateKey)
    return await settle(payment, signal)
  })
  const paywall = openShop({ facilitator })
  const admission = await presentCall(paywall, payer, { ceiling, deposit })
  expect(refusalOf(admission)).toContain('invalid_batch_settlement_evm_insufficient_balance')
  expect(await callsOf(paywall)).toEqual(['rejected'])
})

const tokenAbi = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
])

async function empty({ devnet }: TestPaywall, privateKey: Hex): Promise<void> {
  const { address } = privateKeyToAccount(privateKey)
  await devnet.rpc('anvil_setBalance', [address, '0xde0b6b3a7640000'])
  const args = [devnet.treasury.address, await devnet.usdcBalance(address)] as const
  await send(
    devnet.rpcUrl,
    privateKey,
    encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args }),
  )
}

async function send(rpcUrl: string, privateKey: Hex, data: Hex): Promise<void> {
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl) })
  await wallet.sendTransaction({ to: usdcAddress, data })
}

async function callsOf({ store }: TestPaywall): Promise<readonly string[]> {
  const statuses: string[] = []
  for await (const { payment } of store.exportPayments()) statuses.push(payment.status)
  return statuses
}

test('an amount that is sent to the collector without the contract is in no channel', async () => {
  const real = openShop()
  const payer = freshPayer()
  // The payer signs the nonce of its deposit once more, for a plain transfer, and sends that itself.
  const facilitator = around(real, () => async ({ authorization }) => {
    const { to, value, nonce, validAfter, validBefore } = authorization
    const times = { validAfter, validBefore }
    const signed = await signAuthorization({ signer: payer, to, value, nonce, ...times })
    const { message, signature } = signed
    const { from } = message
    const bounds = [message.validAfter, message.validBefore] as const
    const args = [from, to, value, ...bounds, nonce, signature] as const
    await real.devnet.rpc('anvil_setBalance', [payer.address, '0xde0b6b3a7640000'])
    const call = { abi: tokenAbi, functionName: 'transferWithAuthorization', args } as const
    await send(real.devnet.rpcUrl, payer.privateKey, encodeFunctionData(call))
    return { status: 'unknown', reason: 'settlement_pending', transaction: null }
  })
  const paywall = openShop({ facilitator })
  const admission = await presentCall(paywall, payer, { ceiling, deposit })
  expect(await real.devnet.usdcBalance(depositCollector)).toBe(deposit)
  expect(refusalOf(admission)).toContain('nonce_used_elsewhere')
  expect(await callsOf(paywall)).toEqual(['rejected'])
})

test('a deposit that may be on its way is a 503, and the same request continues it', async () => {
  const real = openShop()
  const payer = freshPayer()
  let attempts = 0
  const facilitator = around(real, ({ settle }) => async (payment, signal) => {
    attempts += 1
    if (attempts > 1) return await settle(payment, signal)
    return { status: 'unknown', reason: 'facilitator_timeout', transaction: null }
  })
  const paywall = openShop({ facilitator })
  const { headers } = await signCall(paywall, payer, { ceiling, deposit })
  const request = callFor(headers, { ceiling })
  expect(await paywall.gate.admit(request)).toMatchObject({ code: 'settlement_unknown' })
  paywall.passSeconds(10)
  const payment = admitted(await paywall.gate.admit(request))
  expect(payment).toMatchObject({ kind: 'channel_call', status: 'serving' })
  expect(await paywall.devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
})

test('recovery proves a deposit whose replica stopped before it was proven', async () => {
  const real = openShop()
  const payer = freshPayer()
  let sent: Promise<unknown> | undefined
  const facilitator = around(real, ({ settle }) => async (payment) => {
    // Mined after the gate has looked for it.
    sent = new Promise((resolve) => {
      release = () => resolve(settle(payment, AbortSignal.timeout(10_000)))
    })
    return { status: 'unknown', reason: 'facilitator_timeout', transaction: null }
  })
  let release = (): void => undefined
  const paywall = openShop({ facilitator, policy: { proofTimeoutMs: 0 } })
  const { headers, channelId } = await signCall(paywall, payer, { ceiling, deposit })
  const request = callFor(headers, { ceiling })
  expect(await paywall.gate.admit(request)).toMatchObject({ code: 'settlement_unknown' })
  paywall.gate.close()
  release()
  await sent
  paywall.passSeconds(60)
  await paywall.recovery.runOnce()
  expect(await paywall.store.loadChannel(channelId)).toMatchObject({ deposited: deposit })
  expect(await callsOf(paywall)).toEqual(['completed'])
  const restarted = openShop({ store: paywall.store })
  const stopped = await restarted.gate.admit({ ...request, salesStoppedReason: 'treasury_short' })
  expect(refusalOf(stopped)).toContain('payments_unavailable')
  expect(depositReceiptOf(stopped)).toMatchObject({
    amount: '100000',
    extra: { chargedAmount: '0' },
  })
  expect(admitted(await restarted.gate.admit(request))).toMatchObject({ kind: 'channel_call' })
})

/** A process that ends when it has claimed the deposit of this request, before it sends it. */
async function dieAfterClaim(real: TestPaywall, request: AdmissionRequest): Promise<void> {
  const claimed = Promise.withResolvers<null>()
  const claimDeposit: LedgerStore['claimDeposit'] = async (...claim) => {
    await real.store.claimDeposit(...claim)
    claimed.resolve(null)
    return await new Promise<never>(() => undefined)
  }
  const store = { ...real.store, claimDeposit }
  void openShop({ owner: 'replica-1', store }).gate.admit(request)
  await claimed.promise
}

test.each(['arrives', 'fails'] as const)(
  'an interrupted deposit is sent again once, which %s',
  async (how) => {
    const real = openShop()
    const payer = freshPayer()
    const { headers } = await signCall(real, payer, { ceiling, deposit })
    const request = callFor(headers, { ceiling })
    await dieAfterClaim(real, request)
    let attempts = 0
    const facilitator = around(real, ({ settle }) => async (payment, signal) => {
      attempts += 1
      if (how === 'arrives' || attempts > 1) return await settle(payment, signal)
      return { status: 'unknown', reason: 'rpc_down', transaction: null }
    })
    const next = openShop({ owner: 'replica-2', store: real.store, facilitator })
    const found: (readonly string[])[] = []
    for (let round = 0; round < 3; round += 1) {
      next.passSeconds(61)
      await next.recovery.runOnce()
      found.push(await callsOf(next))
    }
    const then = how === 'arrives' ? 'completed' : 'unknown'
    expect([attempts, ...found]).toEqual([1, ['unknown'], [then], [then]])
    admitted(await next.gate.admit(request))
    expect(await next.devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
  },
)

/** What happens while a deposit is on its way, and why its call is refused then. */
const meanwhile: Record<string, (paywall: TestPaywall, id: Hex) => Promise<unknown>> = {
  channel_withdrawal_pending: async ({ store }, id) =>
    await store.applyToChannel({ id }, { type: 'withdraw_announced', withdrawAt: 2e9, at: 0 }),
  channels_limit_reached: async (paywall) =>
    admitted(await presentCall(paywall, freshPayer(), { ceiling, deposit })),
  channels_not_watched: async () => undefined,
}

test.each(Object.keys(meanwhile))(
  'a call that is refused after its deposit carries its receipt: %s',
  async (reason) => {
    let obstacle: 'channels_not_watched' | undefined
    const policy = { maxUnclaimedTotal: usdc(1_500n), newPayers: 1n }
    const channels = sellByChannel({ policy, obstacle: async () => obstacle })
    const real = openShop({ channels })
    const { headers, channelId } = await signCall(real, freshPayer(), { ceiling, deposit })
    const facilitator = around(real, ({ settle }) => async (payment, signal) => {
      const settled = await settle(payment, signal)
      await meanwhile[reason]?.(real, channelId)
      if (reason === 'channels_not_watched') obstacle = reason
      return settled
    })
    const paywall = openShop({ channels, facilitator, store: real.store })
    const request = callFor(headers, { ceiling })
    for (const admission of [
      await paywall.gate.admit(request),
      await paywall.gate.admit(request),
    ]) {
      expect(refusalOf(admission)).toContain(reason)
      expect(depositReceiptOf(admission)).toMatchObject({
        amount: '100000',
        extra: { chargedAmount: '0', cost: '0' },
      })
    }
  },
)

test('a deposit that was used buys no other call', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const { headers, channelId } = await signCall(paywall, payer, { ceiling, deposit })
  const payment = admitted(await paywall.gate.admit(callFor(headers, { ceiling })))
  await paywall.gate.complete(payment, { cost: usdc(ceiling), usage: null, answer: null })
  const again = await paywall.gate.admit(callFor(headers, { ceiling, digest: 'b' }))
  expect(refusalOf(again)).toBe('invalid_batch_settlement_evm_cumulative_amount_mismatch')
  expect(await paywall.store.loadChannel(channelId)).toMatchObject({
    deposited: deposit,
    charged: ceiling,
    reserved: 0n,
  })
})

test('a deposit that is too small, or does not cover its call, is refused', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const small = await presentCall(paywall, payer, { ceiling, deposit: 19_999n })
  expect(refusalOf(small)).toContain('deposit_below_min_deposit')
  const short = await presentCall(paywall, payer, { ceiling: 50_000n, deposit: 40_000n })
  expect(short).toMatchObject({ body: { message: expect.stringMatching(/at least 0\.05\.$/) } })
  expect(await callsOf(paywall)).toEqual([])
})

test('a deposit covers its call to the unit, with what was charged and is in flight', async () => {
  const paywall = openShop()
  const exceeds = 'cumulative_exceeds_balance'
  const least = { ceiling: 20_001n, deposit: 20_000n }
  expect(refusalOf(await presentCall(paywall, freshPayer(), least))).toContain(exceeds)
  const payer = freshPayer()
  const first = admitted(await presentCall(paywall, payer, { ...least, ceiling: 20_000n }))
  await paywall.gate.complete(first, { cost: usdc(300n), usage: null, answer: null })
  admitted(await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'b' }))
  const next = { base: 1_300n, deposit: 20_000n, digest: 'c' }
  const beyond = await presentCall(paywall, payer, { ...next, ceiling: 38_701n })
  expect(beyond).toMatchObject({ body: { message: expect.stringContaining('at least 0.020001') } })
  admitted(await presentCall(paywall, payer, { ...next, ceiling: 38_700n }))
})

test('a deposit that would not make its call fit is not executed', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const open = { ceiling, deposit: 20_000n }
  const held = async (): Promise<bigint> =>
    1_000_000_000n - (await paywall.devnet.usdcBalance(payer.address))
  const low = await presentCall(paywall, payer, { ...open, base: -1n })
  expect(refusalOf(low)).toContain('cumulative_amount_mismatch')
  expect(await callsOf(paywall)).toEqual([])
  const { headers } = await signCall(paywall, payer, open)
  const request = callFor(headers, { ceiling })
  const stopped = await paywall.gate.admit({ ...request, salesStoppedReason: 'treasury_short' })
  expect(stopped).toMatchObject({ status: 'unavailable' })
  expect(await held()).toBe(0n)
  const first = admitted(await paywall.gate.admit(request))
  await paywall.gate.complete(first, { cost: usdc(300n), usage: null, answer: null })
  admitted(await presentCall(paywall, payer, { base: 300n, ceiling, digest: 'b' }))
  const more = { deposit: 20_000n, digest: 'c' }
  const covered = { ...more, base: 1_300n, ceiling: 18_700n }
  expect((await presentCall(paywall, payer, covered)).status).toBe('rejected')
  const behind = { ...more, base: 1_299n, ceiling: 18_701n }
  expect((await presentCall(paywall, payer, behind)).status).toBe('rejected')
  expect(await held()).toBe(20_000n)
  admitted(await presentCall(paywall, payer, { ...behind, base: 1_300n }))
  expect(await held()).toBe(40_000n)
})

const claimedFrom = { balance: 1n, totalClaimed: 1n, withdrawalSince: null, refundNonce: 0n }
const shopOver = (state: Partial<typeof claimedFrom>, store?: LedgerStore) => {
  const channelChain = { channels: async () => [{ ...claimedFrom, ...state }] }
  return openShop({ channels: sellByChannel({ channelChain }), ...(store && { store }) })
}

test.each([
  [1n, 1n, 'channel_frozen'],
  [0n, 1n, 'channel_frozen'],
  [1n, 0n, 'channel_not_known'],
] as const)(
  'no deposit is taken into a channel that holds %d and paid %d and is not in the ledger',
  async (balance, totalClaimed, reason) => {
    const paywall = shopOver({ balance, totalClaimed })
    const lost = await presentCall(paywall, freshPayer(), { ceiling, deposit })
    expect(lost).toMatchObject({ body: { message: expect.stringContaining('exact') } })
    expect(refusalOf(lost)).toContain(reason)
    expect(await callsOf(paywall)).toEqual([])
  },
)

test('a deposit is taken into a channel that is new on the chain, and into one of the ledger', async () => {
  const unused = shopOver({ balance: 0n, totalClaimed: 0n })
  expect((await presentCall(unused, freshPayer(), { ceiling, deposit })).status).toBe('settled')
  const { store } = openShop()
  const payer = freshPayer()
  admitted(await presentCall(openShop({ store }), payer, { ceiling, deposit }))
  const topUp = { base: ceiling, ceiling: 150_000n, deposit, digest: 'b' }
  expect((await presentCall(shopOver({}, store), payer, topUp)).status).toBe('settled')
})

test('a second deposit into a channel is corrected, whatever the chain shows', async () => {
  const real = openShop()
  const payer = freshPayer()
  const read = async () => {
    admitted(await presentCall(real, payer, { ceiling, deposit }))
    return [claimedFrom]
  }
  const channels = sellByChannel({ channelChain: { channels: read } })
  const paywall = openShop({ store: real.store, channels })
  const other = await presentCall(paywall, payer, { ceiling, deposit, digest: 'b' })
  expect(refusalOf(other)).toContain('cumulative_amount_mismatch')
})

test('a deposit of another amount than was signed is refused before it costs gas', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const forge = (payload: Readonly<Record<string, unknown>>) => ({
    ...payload,
    deposit: { ...(payload['deposit'] as object), amount: '200000' },
  })
  const admission = await presentCall(paywall, payer, { ceiling, deposit, forge })
  expect(refusalOf(admission)).toContain('invalid_batch_settlement_evm_signature')
  expect(await callsOf(paywall)).toEqual([])
})

test('a deposit of more than the payer holds is refused', async () => {
  const paywall = openShop()
  const admission = await presentCall(paywall, freshPayer(), { ceiling, deposit: 2_000_000_000n })
  expect(refusalOf(admission)).toContain('invalid_batch_settlement_evm_insufficient_balance')
})

test('when two deposits arrive at once on two replicas, one is executed', async () => {
  const one = openShop({ owner: 'replica-1' })
  const payer = freshPayer()
  // The other replica's deposit is proven while this one is about to be claimed.
  const claimDeposit: LedgerStore['claimDeposit'] = async (...claim) => {
    admitted(await presentCall(one, payer, { ceiling, deposit }))
    return await one.store.claimDeposit(...claim)
  }
  const two = openShop({ owner: 'replica-2', store: { ...one.store, claimDeposit } })
  const late = await presentCall(two, payer, { ceiling, deposit, digest: 'b' })
  expect(refusalOf(late)).toBe('invalid_batch_settlement_evm_cumulative_amount_mismatch')
  expect(await two.devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
  expect(await callsOf(one)).toEqual(['completed', 'serving', 'rejected'])
})

test('a deposit that is not needed is corrected, and not executed', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  const again = await presentCall(paywall, payer, { base: ceiling, ceiling, deposit, digest: 'b' })
  expect(refusalOf(again)).toBe('invalid_batch_settlement_evm_cumulative_amount_mismatch')
  expect(await paywall.devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
})
