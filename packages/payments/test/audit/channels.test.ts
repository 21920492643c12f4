import { type Devnet, startDevnet } from '@farebox/devnet'
import type { ChannelMovement, ChannelRecord, LedgerStore } from '@farebox/ledger'
import { audit } from '@farebox/payments'
import { createChannelChain } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { signCall } from '../support/channel-payment.ts'
import {
  announceWithdrawal,
  beginCall,
  buyerOn,
  buyFirst,
  type ChannelSetup,
  callContract,
  channelOf,
  claimAlone,
  complete,
  depositAlone,
  finishWithdrawal,
  setUpChannels,
} from '../support/channel-setup.ts'
import { network, usdc } from '../support/pay.ts'
import { auditedTestPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
const openAndBuy = buyerOn({ open, payer })

/** Audits the chain against a ledger without the movements of one kind. */
async function auditWithout(setup: ChannelSetup, kind: ChannelMovement['kind'] | null) {
  const { store } = setup.paywall
  const left = async function* () {
    for await (const row of store.exportMovements()) if (row.movement.kind !== kind) yield row
  }
  return await auditOf(setup, {
    exportChannels: () => store.exportChannels(),
    exportMovements: left,
    async channelTotals() {
      const sums = { claim: 0n, settle: 0n, deposit: 0n, refund: 0n, withdrawal: 0n }
      for await (const { movement } of left()) sums[movement.kind] += movement.amount
      return { ...(await store.channelTotals()), unsettled: sums.claim - sums.settle }
    },
  })
}

async function auditOf(
  { paywall: { store, chain } }: ChannelSetup,
  known: Pick<LedgerStore, 'exportChannels' | 'exportMovements' | 'channelTotals'>,
) {
  const channelChain = createChannelChain({ rpcUrl: devnet.rpcUrl, network })
  return await audit({
    store,
    chain,
    channels: { store: known, channelChain },
    asset: network.usdc,
    treasury: devnet.treasury.address,
    fromBlock: 0,
  })
}

test('channels match the contract to the unit, and what is missing in the ledger is named', async () => {
  const setup = setUpChannels(open)
  await buyFirst(setup, payer(0), 4_000n)
  await setup.rounds.runOnce()
  expect(await auditWithout(setup, null)).toMatchObject({
    channels: 1,
    received: 4_000n,
    explained: [],
    unexplained: [],
  })
  const recent = await auditWithout(setup, 'claim')
  expect(recent).toMatchObject({ unexplained: [], explained: [{ kind: 'channel_in_progress' }] })

  await devnet.mine(64)
  const unrecorded = await auditWithout(setup, 'claim')
  expect(unrecorded.unexplained).toMatchObject([{ kind: 'channel_differs', amount: 4_000n }])
  expect(unrecorded.unexplained[0]?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  const unsettled = await auditWithout(setup, 'settle')
  expect(unsettled.unexplained).toMatchObject([{ kind: 'channel_differs', amount: 4_000n }])
  expect(unsettled.explained).toMatchObject([{ kind: 'suspense', amount: 4_000n }])
})

test.each(['deposited', 'returned', 'claimed', 'charged', 'reserved'] as const)(
  'a channel whose sum of what is %s is not that of its movements and calls is named',
  async (name) => {
    const { setup, call } = await openAndBuy()
    await beginCall(setup, payer(0), call)
    await setup.rounds.runOnce()
    const { store } = setup.paywall
    const report = await auditOf(setup, {
      ...store,
      async *exportChannels() {
        for await (const channel of store.exportChannels()) {
          yield { ...channel, [name]: usdc(channel[name] + 7n) }
        }
      },
    })
    expect(report.unexplained).toMatchObject([{ kind: 'channel_differs', amount: 7n }])
  },
)

test.each([
  [
    'voucher',
    (channel: ChannelRecord) => ({ signature: channel.signature?.replace(/^0x../, '0x00') }),
  ],
  ['terms', ({ config }: ChannelRecord) => ({ config: { ...config, payer: config.receiver } })],
] as const)(
  'a channel whose %s pays for no claim is named with what it owes',
  async (_, changed) => {
    const setup = setUpChannels(open)
    await buyFirst(setup, payer(0), 4_000n)
    const { store } = setup.paywall
    const report = await auditOf(setup, {
      ...store,
      async *exportChannels() {
        for await (const channel of store.exportChannels()) {
          yield { ...channel, ...changed(channel) } as ChannelRecord
        }
      },
    })
    expect(report.unexplained).toMatchObject([{ kind: 'channel_differs', amount: 4_000n }])
  },
)

test('a channel that changes while it is audited is not compared with its calls', async () => {
  const { setup, call } = await openAndBuy()
  const { store } = setup.paywall
  const report = await auditOf(setup, {
    ...store,
    async *exportMovements() {
      await complete(setup.paywall, await beginCall(setup, payer(0), call), 3_000n)
      yield* store.exportMovements()
    },
  })
  expect(report.unexplained).toEqual([])
})

test('a withdrawal that a running gateway has read after the audit read the contract is not a difference', async () => {
  const { setup, call } = await openAndBuy()
  const { store } = setup.paywall
  const report = await auditOf(setup, {
    ...store,
    async *exportMovements() {
      await announceWithdrawal(devnet, call.config, 96_000n)
      await setup.rounds.runOnce()
      yield* store.exportMovements()
    },
  })
  expect(await channelOf(setup, call)).toMatchObject({ withdrawAt: expect.any(Number) })
  expect(report.unexplained).toEqual([])
})

test('a withdrawal that was announced in the last blocks and not read yet is in progress', async () => {
  const { setup, call } = await openAndBuy()
  await announceWithdrawal(devnet, call.config, 96_000n)
  const recent = await auditWithout(setup, null)
  expect(recent.unexplained).toEqual([])
  expect(recent.explained).toMatchObject([{ kind: 'channel_in_progress', amount: 100_000n }])
  await devnet.mine(64)
  expect((await auditWithout(setup, null)).unexplained).toMatchObject([
    { kind: 'channel_differs', amount: 100_000n },
  ])
  await setup.rounds.runOnce()
})

test('channels that match are audited on a node that has no earlier states', async () => {
  const setup = setUpChannels(open)
  await buyFirst(setup, payer(0), 4_000n)
  await setup.rounds.runOnce()
  const { store, chain } = setup.paywall
  const channelChain = createChannelChain({ rpcUrl: devnet.rpcUrl, network })
  const head = (await chain.head()).number
  const report = await audit({
    store,
    chain,
    channels: {
      store,
      channelChain: {
        ...channelChain,
        async channels(ids, block) {
          if (block !== head) throw new Error(`no state of block ${block}`)
          return await channelChain.channels(ids, block)
        },
      },
    },
    asset: network.usdc,
    treasury: devnet.treasury.address,
    fromBlock: 0,
  })
  expect(report).toMatchObject({ channels: 1, unexplained: [] })
})

test("a claim from a stranger's channel to the treasury is money that bought nothing", async () => {
  const setup = setUpChannels(open)
  await buyFirst(setup, payer(0), 4_000n)
  await setup.rounds.runOnce()
  const receiverAuthorizer = payer(2).address
  const stranger = await signCall(setup.paywall, payer(1), {
    ceiling: 7_000n,
    deposit: 100_000n,
    config: { receiverAuthorizer },
  })
  await depositAlone(devnet, stranger)
  await claimAlone(devnet, receiverAuthorizer, stranger)
  await setup.rounds.runOnce()
  const { explained, unexplained } = await auditWithout(setup, null)
  expect(unexplained).toEqual([])
  expect(explained).toMatchObject([{ kind: 'suspense', amount: 7_000n }])
  expect(await setup.paywall.store.loadChannel(stranger.channelId)).toBeUndefined()
})

test('a refund that moved nothing and vanished: the ledger counts one more than the contract', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await announceWithdrawal(devnet, call.config, 96_000n)
  const { store, clock } = setup.paywall
  await store.applyToChannel({ id: call.channelId }, { type: 'closing', at: clock() })
  await finishWithdrawal(devnet, call.config)
  await setup.rounds.runOnce()
  for (let round = 0; round < 2; round += 1) {
    setup.paywall.passSeconds(61)
    await setup.rounds.runOnce()
    await devnet.mine(2)
  }
  expect(await channelOf(setup, call)).toMatchObject({ status: 'open', refundNonce: 1n })
  expect((await auditWithout(setup, null)).unexplained).toEqual([])
  await devnet.reorg(5)
  expect((await auditWithout(setup, null)).unexplained).toMatchObject([
    { kind: 'channel_nonce_differs', amount: 0n },
  ])
  const again = { functionName: 'refund', args: [call.config, 1n] } as const
  await callContract(devnet, devnet.treasury.address, again)
  expect((await auditWithout(setup, null)).unexplained).toEqual([])
})
