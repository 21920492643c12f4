import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { createMemoryStore, type LedgerStore } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import type { ChannelPolicy } from '@farebox/payments'
import { sellByChannel } from '@farebox/payments/parts'
import { signVoucher } from '@x402/evm/batch-settlement/client'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  callFor,
  presentCall,
  refusalOf,
  type SignedCall,
  signCall,
} from '../support/channel-payment.ts'
import { encode, usdc } from '../support/pay.ts'
import { admitted, payHeaders, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let node: RpcFaults
let rpcUrl: string
const ends: (() => Promise<void>)[] = []
const { open, freshPayer } = testPaywallsOn(async () => {
  const devnet = await startDevnet()
  rpcUrl = devnet.rpcUrl
  return devnet
})
beforeAll(async () => {
  node = await startRpcFaults({ target: rpcUrl })
})
afterAll(async () => {
  for (const end of ends.splice(0)) await end()
  await node.stop()
})

const ceiling = 1_000n
const repeated = 30
const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'

/** Which operations a ledger was asked for, in order. */
function counted(store: LedgerStore): { readonly store: LedgerStore; readonly asked: string[] } {
  const asked: string[] = []
  const names = Object.keys(store) as (keyof LedgerStore)[]
  const entries = names.map((name) => {
    const operation = store[name] as (...parts: readonly unknown[]) => unknown
    return [
      name,
      (...parts: readonly unknown[]) => {
        asked.push(name)
        return operation(...parts)
      },
    ]
  })
  return { store: Object.fromEntries(entries) as LedgerStore, asked }
}

type Shop = {
  readonly paywall: TestPaywall
  readonly asked: string[]
  readonly payer: ReturnType<typeof freshPayer>
  readonly first: SignedCall
}

/** A shop with a channel that was charged 300. */
async function openCounted(policy: Partial<ChannelPolicy> = {}): Promise<Shop> {
  const { store, asked } = counted(createMemoryStore())
  const paywall = open({ channels: sellByChannel({ policy }), store, rpcUrl: node.url })
  const payer = freshPayer()
  const first = await signCall(paywall, payer, { ceiling, deposit: 100_000n })
  const payment = admitted(await paywall.gate.admit(callFor(first.headers, { ceiling })))
  await paywall.gate.complete(payment, { cost: usdc(300n), usage: null, answer: null })
  return { paywall, asked, payer, first }
}

/** Presents the same bytes again and again. Returns the errors, and what that caused. */
async function present({ paywall, asked }: Shop, headers: SignedCall['headers'], digest = 'b') {
  const [calls, notices] = [node.calls.length, paywall.notices.length]
  asked.splice(0)
  const errors = new Set<string | undefined>()
  for (let time = 0; time < repeated; time += 1) {
    errors.add(refusalOf(await paywall.gate.admit(callFor(headers, { ceiling, digest }))))
  }
  return {
    errors: [...errors],
    calls: node.calls.length - calls,
    notices: paywall.notices.length - notices,
    asked: [...asked],
  }
}

type Payload = Readonly<Record<string, unknown>>
const voucherWith = (changes: object) => (payload: Payload) => ({
  ...payload,
  voucher: { ...(payload['voucher'] as object), ...changes },
})

test.each<readonly [string, (shop: Shop) => Promise<SignedCall['headers']>, RegExp]>([
  [
    'with a made-up signature',
    async ({ paywall, payer }) => {
      const forge = voucherWith({ signature: `0x${'11'.repeat(64)}1b` })
      return (await signCall(paywall, payer, { base: 300n, ceiling, forge })).headers
    },
    /voucher_signature/,
  ],
  [
    'signed for another chain',
    async ({ paywall, payer, first }) => {
      const account = privateKeyToAccount(payer.privateKey)
      const { signature } = await signVoucher(account, first.channelId, '1300', 'eip155:8453')
      const forge = voucherWith({ signature })
      return (await signCall(paywall, payer, { base: 300n, ceiling, forge })).headers
    },
    /voucher_signature/,
  ],
  [
    'of another channel',
    async ({ paywall, payer }) => {
      const forge = voucherWith({ channelId: `0x${'2'.repeat(64)}` })
      return (await signCall(paywall, payer, { base: 300n, ceiling, forge })).headers
    },
    /channel_id_mismatch/,
  ],
  [
    'for the quote of another request',
    async ({ paywall, payer }) =>
      (await signCall(paywall, payer, { base: 300n, ceiling: 999n })).headers,
    /invalid_payment_requirements/,
  ],
  [
    'in a header of nine thousand characters',
    async () => ({ 'payment-signature': encode({ x402Version: 2, padding: 'a'.repeat(7_000) }) }),
    /invalid_payment/,
  ],
])(
  'vouchers %s are refused without the node, the ledger or a log line',
  async (_, headers, error) => {
    const shop = await openCounted()
    const caused = await present(shop, await headers(shop))
    expect(caused).toEqual({
      errors: [expect.stringMatching(error)],
      calls: 0,
      notices: 0,
      asked: [],
    })
  },
)

test('vouchers that were used are refused without the node, and the ledger keeps nothing of them', async () => {
  const shop = await openCounted()
  const { store } = shop.paywall
  const { headers } = await signCall(shop.paywall, shop.payer, { ceiling })
  shop.paywall.passSeconds(21)
  // The first one has a turn, since it may be its payer's.
  await shop.paywall.gate.admit(callFor(headers, { ceiling, digest: 'c' }))
  shop.paywall.passSeconds(3)
  const before = await store.loadChannel(shop.first.channelId)
  const caused = await present(shop, headers)
  expect(caused).toMatchObject({ calls: 0, notices: 0 })
  expect(caused.errors).toEqual([expect.stringMatching(/cumulative_amount_mismatch/)])
  expect(caused.asked.length).toBeLessThanOrEqual(8 * repeated)
  expect(caused.asked).not.toContain('takeTurn')
  expect(await store.loadChannel(shop.first.channelId)).toEqual(before)
  const payments = []
  for await (const { payment } of store.exportPayments()) payments.push(payment.kind)
  expect(payments.sort()).toEqual(['channel_call', 'channel_deposit'])
})

async function channelOf(paywall: TestPaywall, { channelId }: SignedCall) {
  const channel = await paywall.store.loadChannel(channelId)
  if (channel === undefined) throw new Error('the channel is unknown')
  return channel
}

test('used vouchers in the hands of a thief hold up the calls of their payer for one turn at most', async () => {
  const { paywall, payer: victim, first } = await openCounted({ turnMs: 100 })
  paywall.passSeconds(21)
  const { turn: none, ...before } = await channelOf(paywall, first)
  expect(none).toBe(null)
  const voucher = await signCall(paywall, victim, { ceiling })
  const deposits = await signCall(paywall, victim, { ceiling, deposit: 100_000n })
  const steal = async () => {
    const thefts = Array.from({ length: 10 }, async (_, index) => {
      const { headers } = index % 2 === 0 ? voucher : deposits
      return refusalOf(await paywall.gate.admit(callFor(headers, { ceiling, digest: `b${index}` })))
    })
    expect(new Set(await Promise.all(thefts))).toEqual(new Set([mismatch]))
    return await channelOf(paywall, first)
  }
  const { turn, ...after } = await steal()
  expect(after).toEqual(before)
  expect(turn?.until).toBeLessThanOrEqual(paywall.clock())
  expect((await steal()).turn).toEqual(turn)
  // Its voucher is the one that the corrections of the thief name.
  admitted(await presentCall(paywall, victim, { base: 300n, ceiling, digest: 'c' }))
  expect(await channelOf(paywall, first)).toMatchObject({ charged: 300n, reserved: ceiling })
  expect((await steal()).turn).toEqual(turn)
  paywall.passSeconds(601)
  expect((await steal()).turn).not.toEqual(turn)
})

test('calls of a client that lost its state have a turn each, as long as they come', async () => {
  const { paywall, payer, first } = await openCounted({ turnMs: 1_000 })
  paywall.passSeconds(21)
  const { headers } = await signCall(paywall, payer, { ceiling })
  for (let call = 0n; call < 3n; call += 1n) {
    const digest = `b${call}`
    const base = 300n + call * ceiling
    const old = await paywall.gate.admit(callFor(headers, { ceiling, digest }))
    expect(refusalOf(old)).toBe(mismatch)
    expect((await channelOf(paywall, first)).turn).toMatchObject({ max: base + ceiling })
    admitted(await presentCall(paywall, payer, { base, ceiling, digest }))
    paywall.passSeconds(2)
  }
})

/** A call that cost 300 from the channel of a ledger on disk whose row then became unreadable. */
async function openUnreadable() {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-unreadable-'))
  const file = join(folder, 'ledger.sqlite')
  const store = await openLedger({ url: `sqlite:${file}` })
  const database = new DatabaseSync(file)
  ends.push(async () => {
    database.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const paywall = open({ channels: sellByChannel(), store })
  const payer = freshPayer()
  const first = await signCall(paywall, payer, { ceiling, deposit: 100_000n })
  const { gate } = paywall
  const payment = admitted(await gate.admit(callFor(first.headers, { ceiling })))
  await gate.complete(payment, { cost: usdc(300n), usage: null, answer: null })
  database.exec('update channel set seen_block = 9007199254740993')
  return { paywall, payer, first }
}

test.each([undefined, 5_000n])(
  'a channel whose row cannot be read is refused, so that its payer pays by exact (deposit %s)',
  async (deposit) => {
    const { paywall, payer } = await openUnreadable()
    const { gate, notices } = paywall
    const next = { base: 300n, ceiling, digest: 'b', ...(deposit && { deposit }) }
    expect(refusalOf(await presentCall(paywall, payer, next))).toMatch(
      /^channel_unreadable: .* Pay for this call with the exact scheme\.$/,
    )
    expect(notices).toContainEqual(expect.objectContaining({ type: 'fault', during: 'admission' }))
    const { v2 } = await payHeaders(paywall.devnet, payer, { value: ceiling })
    admitted(await gate.admit(callFor(v2, { ceiling, digest: 'b' })))
  },
)

test('a call and a deposit that were paid for are not refused when the row cannot be read', async () => {
  const { paywall, payer, first } = await openUnreadable()
  const repeated = await paywall.gate.admit(callFor(first.headers, { ceiling }))
  expect(repeated).toMatchObject({ status: 'pending', payment: { kind: 'channel_deposit' } })
  const { headers } = await signCall(paywall, payer, { ceiling })
  const withoutDeposit = await paywall.gate.admit(callFor(headers, { ceiling }))
  expect(withoutDeposit).toMatchObject({ status: 'pending', payment: { kind: 'channel_call' } })
})
