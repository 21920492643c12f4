import { type Devnet, startDevnet } from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import { createMemoryDisk, createMemoryStore, type Hex } from '@farebox/ledger'
import { createChainReader, type Facilitator, type SettleOutcome } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { cancelNonce, executeAuthorization } from '../support/on-chain.ts'
import { network, type Signing, signAuthorization, usdc } from '../support/pay.ts'
import { admitted, finishRefunds, payHeaders, price, requestFor } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 16 })
  return devnet
})

function settlingBy(settle: () => Promise<SettleOutcome>): Facilitator {
  return { name: 'scripted', settle }
}

test.each([
  ['another payee', { value: price }],
  ['one unit', { value: 1n, to: 'treasury' }],
] as const)(
  'a settlement that used the nonce for %s pays for nothing',
  async (_, { value, ...twin }) => {
    const payer = freshPayer()
    const { v2, signed } = await payHeaders(devnet, payer)
    const to = 'to' in twin ? devnet.treasury.address : freshPayer().address
    const other = { signer: payer, to, value, nonce: signed.message.nonce } satisfies Signing
    const facilitator = settlingBy(async () => ({
      status: 'settled',
      transaction: await executeAuthorization(devnet, await signAuthorization(other)),
    }))
    const admission = await open({ facilitator }).gate.admit(requestFor(v2))
    expect(admission).toMatchObject({
      status: 'rejected',
      body: { message: expect.stringContaining('nonce_used_elsewhere') },
    })
  },
)

test('a rejection after an unknown outcome is not a 402: what was sent first may still be mined', async () => {
  const outcomes: SettleOutcome[] = [
    { status: 'unknown', reason: 'timeout', transaction: null },
    { status: 'rejected', reason: 'invalid_exact_evm_signature' },
  ]
  const facilitator = settlingBy(async () => outcomes.shift()!)
  const paywall = open({ facilitator })
  const { v2, signed } = await payHeaders(devnet, freshPayer())
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('pending')
  paywall.passSeconds(6)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('pending')
  expect(outcomes).toEqual([])
  await executeAuthorization(devnet, signed)
  admitted(await paywall.gate.admit(requestFor(v2)))
})

test('a forged signature over a claimed authorization finds neither its payment nor its response', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2, signed } = await payHeaders(devnet, payer)
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  const answer = { statusCode: 200, contentType: 'text/plain', body: Buffer.from('secret') }
  await paywall.gate.complete(begun.payment, { cost: usdc(1n), usage: null, answer })
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('replayed')
  const { nonce, validBefore } = signed.message
  const forged = await payHeaders(devnet, freshPayer(), {
    from: payer.address,
    nonce,
    validBefore: Number(validBefore),
  })
  const admission = await paywall.gate.admit(requestFor(forged.v2))
  expect(admission.status).toBe('rejected')
  expect(admission).not.toHaveProperty('payment')
})

test.each([
  [4_000n, 'completed'],
  [1n, 'completed'],
  [0n, 'failed'],
])(
  'a backup from before a service for %d units is not served again: its refund is on the chain',
  async (cost, status) => {
    const disk = createMemoryDisk()
    const paywall = open({ store: createMemoryStore({ disk }) })
    const payer = freshPayer()
    const { v2 } = await payHeaders(devnet, payer)
    const payment = admitted(await paywall.gate.admit(requestFor(v2)))
    const backup = disk.snapshot()
    const begun = await paywall.gate.begin(payment)
    await paywall.gate.complete(begun.payment, { cost: usdc(cost), usage: null, answer: null })
    await finishRefunds(paywall)
    disk.restore(backup)
    expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({
      status: 'spent',
      code: 'authorization_used',
      payment: { status, cost },
    })
    expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - cost)
  },
)

test('a client that returns while its payment is ended is served, and not charged for leaving', async () => {
  const store = createMemoryStore()
  const replica = open({ store, owner: 'replica-2', policy: { resumeMs: 600_000 } })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const late = open({
    policy: { abandonCharge: usdc(300n) },
    store: {
      ...store,
      async payerFaultsOf(id) {
        const faults = await store.payerFaultsOf(id)
        await replica.gate.begin(admitted(await replica.gate.admit(requestFor(v2))))
        return faults
      },
    },
  })
  const left = admitted(await late.gate.admit(requestFor(v2)))
  await late.gate.abandon(left, 'client_left')
  late.passSeconds(61)
  expect(await late.gate.admit(requestFor(v2))).toMatchObject({ status: 'pending' })
  expect((await store.load(left.id))?.status).toBe('serving')
})

test('a backup from after its client left: what the refund on the chain left over is the cost', async () => {
  const disk = createMemoryDisk()
  const policy = { abandonCharge: usdc(300n) }
  const paywall = open({ store: createMemoryStore({ disk }), policy })
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const left = admitted(await paywall.gate.admit(requestFor(v2)))
  await paywall.gate.abandon(left, 'client_left')
  const backup = disk.snapshot()
  const returned = admitted(await paywall.gate.admit(requestFor(v2)))
  const begun = await paywall.gate.begin(returned)
  await paywall.gate.complete(begun.payment, { cost: usdc(4_000n), usage: null, answer: null })
  await finishRefunds(paywall)
  disk.restore(backup)
  paywall.passSeconds(70)
  await paywall.recovery.runOnce()
  expect(disk.payments.get(left.id)).toMatchObject({ status: 'completed', cost: 4_000n })
  await finishRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - 4_000n)
})

test('a used nonce is never a rejection: our node may not have seen its transfer', async () => {
  const reason = 'invalid_exact_evm_nonce_already_used'
  const facilitator = settlingBy(async () => ({ status: 'rejected', reason }))
  const { v2 } = await payHeaders(devnet, freshPayer())
  expect(await open({ facilitator }).gate.admit(requestFor(v2))).toMatchObject({
    status: 'pending',
    code: 'settlement_unknown',
  })
})

// A node whose logs are from a block that its chain no longer has: its head, or one before.
test.each(['the head', 'an older block'])(
  'a transfer proves nothing if %s, which has it, was replaced',
  async (which) => {
    const { v2, signed } = await payHeaders(devnet, freshPayer())
    await executeAuthorization(devnet, signed)
    const block = await devnet.rpc<{ number: string }>('eth_getBlockByNumber', ['latest', false])
    if (which === 'an older block') await devnet.rpc('anvil_mine', ['0x1'])
    const replaced = { ...block, hash: `0x${'1'.repeat(64)}` }
    const isOfIt = (of: unknown): boolean =>
      of === block.number || (of === 'latest' && which === 'the head')
    const node = await startRpcFaults({
      target: devnet.rpcUrl,
      rule: ({ method, params }) =>
        method === 'eth_getBlockByNumber' && isOfIt(params[0])
          ? { kind: 'result', result: replaced }
          : undefined,
    })
    try {
      const { from, nonce } = signed.message
      const use = createChainReader({ rpcUrl: node.url }).authorizationUse({
        asset: network.usdc,
        from: from.toLowerCase() as Hex,
        nonce,
        fromBlock: 0,
      })
      await expect(use).rejects.toThrow('its block was replaced')
      expect((await open({ rpcUrl: node.url }).gate.admit(requestFor(v2))).status).not.toBe(
        'settled',
      )
    } finally {
      await node.stop()
    }
  },
)

// A node with flashblocks gives receipts of transactions whose block is still being built.
test.each(['confirmed', 'revoked'])(
  'a receipt from before its block proves nothing, whether it is later %s',
  async (fate) => {
    const payer = freshPayer()
    const { v2, signed } = await payHeaders(devnet, payer)
    const before = await devnet.snapshot()
    const transaction = await executeAuthorization(devnet, signed)
    const receipt = await devnet.rpc('eth_getTransactionReceipt', [transaction])
    await devnet.revert(before)
    const node = await startRpcFaults({
      target: devnet.rpcUrl,
      rule: ({ method, params }) =>
        method === 'eth_getTransactionReceipt' && params[0] === transaction
          ? { kind: 'result', result: receipt }
          : undefined,
    })
    const facilitator = settlingBy(async () => ({ status: 'settled', transaction }))
    try {
      const { gate } = open({ facilitator, rpcUrl: node.url })
      expect(await gate.admit(requestFor(v2))).toMatchObject({ status: 'pending' })
      if (fate === 'revoked') {
        await cancelNonce(devnet, payer, signed.message.nonce)
        node.setRule()
        expect(await gate.admit(requestFor(v2))).toMatchObject({ status: 'rejected' })
        return
      }
      const mined = await executeAuthorization(devnet, signed)
      node.setRule()
      const { settlement } = admitted(await gate.admit(requestFor(v2)))
      expect(settlement?.transaction).toBe(mined)
    } finally {
      await node.stop()
    }
  },
)
