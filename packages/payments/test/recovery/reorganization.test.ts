import { type Devnet, startDevnet } from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import {
  createMemoryDisk,
  createMemoryStore,
  type MemoryDisk,
  type PaymentRecord,
} from '@farebox/ledger'
import { toHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { cancelNonce, executeAuthorization } from '../support/on-chain.ts'
import { usdc } from '../support/pay.ts'
import {
  admitted,
  auditTestPaywall,
  finishRefunds,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  sell,
  serve,
  type TestPaywall,
  type TestPaywallOptions,
  until,
} from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { balance, open, payer } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const refundOf = async (paywall: TestPaywall, payment: PaymentRecord) =>
  (await reload(paywall, payment)).refund

test('a settlement that vanished before its refund: nothing is given back until it is paid again', async () => {
  const paywall = open()
  const payment = await sell(paywall, payer(0), 4_000n)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds)
  await runRefunds(paywall)
  expect((await reload(paywall, payment)).settlement).toBeNull()
  expect(await refundOf(paywall, payment)).toMatchObject({ status: 'blocked' })
  expect(await balance(0)).toBe(funds)

  // The payer's authorization is still valid: recovery sends the same payload again.
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, payment)).settlement).not.toBeNull()
  paywall.passSeconds(31)
  await runRefunds(paywall)
  expect(await refundOf(paywall, payment)).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a settlement that vanished for good: the cost is our loss and no refund is sent', async () => {
  const paywall = open()
  const payment = await sell(paywall, payer(0), 4_000n)
  await devnet.reorg(1)
  await devnet.increaseTime(400)
  paywall.passSeconds(400)
  await paywall.recovery.runOnce()
  await paywall.recovery.runOnce()
  expect(await reload(paywall, payment)).toMatchObject({
    settlement: null,
    reason: 'settlement_lost',
  })
  await finishRefunds(paywall)
  paywall.passSeconds(60)
  await finishRefunds(paywall)
  expect(await refundOf(paywall, payment)).toMatchObject({ status: 'written_off' })
  expect(await balance(0)).toBe(funds)
})

test('a final settlement that a node does not show for a while is not lost, and its refund waits', async () => {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  onTestFinished(() => node.stop())
  const paywall = open({ rpcUrl: node.url })
  const payment = await sell(paywall, payer(0), 4_000n)
  await devnet.mine(3)
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  const block = toHex(payment.settlement!.block)
  const other = await devnet.rpc('eth_getBlockByNumber', ['0x1', false])
  node.setRule(({ method, params }) => {
    if (method === 'eth_getLogs') return { kind: 'result', result: [] }
    if (method === 'eth_call') return { kind: 'result', result: toHex(0, { size: 32 }) }
    const isBlock = method === 'eth_getBlockByNumber' && params[0] === block
    return isBlock ? { kind: 'result', result: other } : undefined
  })
  expect(await paywall.refunds.runOnce()).toMatchObject({ faults: 1, sent: 0 })
  expect(await reload(paywall, payment)).toMatchObject({
    settlement: payment.settlement,
    settlementFinal: true,
    refund: { status: 'due' },
  })
  node.setRule()
  paywall.passSeconds(60)
  await runRefunds(paywall)
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a refund that vanished is sent again, once', async () => {
  const paywall = open()
  const payment = await sell(paywall, payer(0), 4_000n)
  await runRefunds(paywall)
  expect(await balance(0)).toBe(funds - 4_000n)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds - price)
  // The relayer's queue notices by itself that its transaction needs sending again.
  await finishRefunds(paywall)
  expect(await refundOf(paywall, payment)).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
  const { nonce } = (await refundOf(paywall, payment))!
  expect(await paywall.store.loadRefund(nonce!)).toMatchObject({ status: 'final' })
})

test('settlements and refunds of the last three blocks that vanish are each made again once', async () => {
  const paywall = open({ policy: { finalConfirmations: 6 } })
  await sell(paywall, payer(0), 4_000n)
  await sell(paywall, payer(1), 5_000n)
  await runRefunds(paywall)
  await devnet.reorg(3)
  for (let round = 0; round < 3; round += 1) {
    paywall.passSeconds(31)
    await paywall.recovery.runOnce()
  }
  await finishRefunds(paywall)
  expect([await balance(0), await balance(1)]).toEqual([funds - 4_000n, funds - 5_000n])
})

test('a refund that vanished with its settlement is not sent again once its payer cancels the payment', async () => {
  const paywall = open({ policy: { finalConfirmations: 6 } })
  // The treasury holds enough for a refund whose payment is missing.
  await sell(paywall, payer(1), price)
  await devnet.mine(3)
  const { v2, signed } = await payHeaders(devnet, payer(0))
  const { payment } = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.complete(payment, { cost: usdc(4_000n), usage: null, answer: null })
  await runRefunds(paywall)
  await devnet.reorg(2)
  await cancelNonce(devnet, payer(0), signed.message.nonce)
  for (let round = 0; round < 4; round += 1) {
    paywall.passSeconds(31)
    await paywall.recovery.runOnce()
    await runRefunds(paywall)
    await devnet.mine(1)
  }
  const { nonce } = (await refundOf(paywall, payment))!
  expect(await paywall.store.loadRefund(nonce!)).toMatchObject({
    status: 'blocked',
    reason: 'settlement_lost',
  })
  expect(await balance(0)).toBe(funds)
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(price)
})

type Restored = { readonly paywall: TestPaywall; readonly disk: MemoryDisk }

function openOnDisk(options: Omit<TestPaywallOptions, 'devnet' | 'store'> = {}): Restored {
  const disk = createMemoryDisk()
  return { disk, paywall: open({ ...options, store: createMemoryStore({ disk }) }) }
}

test('a backup from before the refunds: what the chain holds is booked, no unit leaves twice', async () => {
  const { paywall, disk } = openOnDisk()
  const sold = [await sell(paywall, payer(0), 1_000n), await sell(paywall, payer(1), 2_000n)]
  const backup = disk.snapshot()
  await finishRefunds(paywall)
  const paid = [await balance(0), await balance(1)]
  expect(paid).toEqual([funds - 1_000n, funds - 2_000n])

  disk.restore(backup)
  paywall.passSeconds(61)
  await finishRefunds(paywall)
  expect([await balance(0), await balance(1)]).toEqual(paid)
  for (const payment of sold) {
    expect(await refundOf(paywall, payment)).toMatchObject({ status: 'confirmed' })
  }
  expect(paywall.notices.filter(({ type }) => type === 'refund_found')).toHaveLength(2)
})

test('a backup from while it was served: the cost that the refund implies is booked', async () => {
  const { paywall, disk } = openOnDisk()
  const payment = await serve(paywall, payer(0))
  const backup = disk.snapshot()
  await paywall.gate.complete(payment, { cost: usdc(4_000n), usage: null, answer: null })
  await finishRefunds(paywall)
  disk.restore(backup)
  paywall.passSeconds(61)
  await paywall.recovery.runOnce()
  await finishRefunds(paywall)
  expect(await reload(paywall, payment)).toMatchObject({
    status: 'completed',
    cost: 4_000n,
    refund: { amount: 6_000n, status: 'confirmed' },
  })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a backup from before the claim: the authorization buys nothing a second time', async () => {
  const { paywall, disk } = openOnDisk()
  const backup = disk.snapshot()
  const { v2 } = await payHeaders(devnet, payer(0))
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.complete(begun.payment, { cost: usdc(4_000n), usage: null, answer: null })
  await finishRefunds(paywall)
  disk.restore(backup)
  paywall.passSeconds(2)
  const again = await paywall.gate.admit(requestFor(v2))
  expect(again).toMatchObject({ status: 'spent', payment: { reason: 'unsolicited_transfer' } })
  paywall.passSeconds(61)
  await paywall.recovery.runOnce()
  await finishRefunds(paywall)
  expect(await balance(0)).toBe(funds - 4_000n)
  const { explained } = await auditTestPaywall(paywall)
  expect(explained).toMatchObject([{ kind: 'unrecorded_refund', amount: 6_000n }])
})

test('a backup from before a small refunds batch: its transfer is booked, the next has a new number', async () => {
  const { paywall, disk } = openOnDisk({ refundMinimum: 5_000n })
  const first = [await sell(paywall, payer(0), 7_000n), await sell(paywall, payer(0), 7_500n)]
  const backup = disk.snapshot()
  await finishRefunds(paywall)
  expect(await balance(0)).toBe(funds - 2n * price + 5_500n)

  disk.restore(backup)
  const second = [await sell(paywall, payer(0), 7_000n), await sell(paywall, payer(0), 7_500n)]
  paywall.passSeconds(61)
  await until(async () => {
    await paywall.refunds.runOnce()
    const refunds = await Promise.all([...first, ...second].map((each) => refundOf(paywall, each)))
    return refunds.every((refund) => refund?.status === 'confirmed')
  })
  expect(await balance(0)).toBe(funds - 4n * price + 11_000n)
  const nonces = await Promise.all(
    [first[0]!, second[0]!].map(async (each) => (await refundOf(paywall, each))?.nonce),
  )
  expect(new Set(nonces).size).toBe(2)
})

test('a backup that lost a small refunds batch and its payments altogether uses the next number', async () => {
  const { paywall, disk } = openOnDisk({ refundMinimum: 5_000n })
  const backup = disk.snapshot()
  await sell(paywall, payer(0), 7_000n)
  await sell(paywall, payer(0), 7_500n)
  await finishRefunds(paywall)
  disk.restore(backup)
  const later = [await sell(paywall, payer(0), 7_000n), await sell(paywall, payer(0), 7_500n)]
  await finishRefunds(paywall)
  for (const payment of later) {
    expect(await refundOf(paywall, payment)).toMatchObject({ status: 'confirmed' })
  }
  expect(await balance(0)).toBe(funds - 4n * price + 11_000n)
})

test('an unused authorization is void only after its time, in the time of the chain', async () => {
  const silent = { name: 'silent', settle: () => new Promise<never>(() => undefined) }
  const policy = { settleTimeoutMs: 50, proofTimeoutMs: 0, voidMarginSeconds: 500 }
  const paywall = open({ facilitator: silent, policy })
  const { v2, signed } = await payHeaders(devnet, payer(0))
  const admission = await paywall.gate.admit(requestFor(v2))
  if (admission.status !== 'pending') throw new Error(admission.status)
  paywall.passSeconds(1_000)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, admission.payment)).status).toBe('unknown')
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('pending')
  await devnet.increaseTime(600)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, admission.payment)).status).toBe('unknown')
  await devnet.increaseTime(400)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, admission.payment)).status).toBe('void')
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  await expect(executeAuthorization(devnet, signed)).rejects.toThrow(/expired/)
})

test('an authorization that expires while its settlement waits for a block pays for nothing, and counts against its payer', async () => {
  const paywall = open()
  const { v2 } = await payHeaders(devnet, payer(0))
  await devnet.setAutomine('off')
  const admitting = paywall.gate.admit(requestFor(v2))
  await until(async () => {
    const { transactions } = await devnet.rpc<{ transactions: readonly string[] }>(
      'eth_getBlockByNumber',
      ['pending', false],
    )
    return transactions.length > 0
  })
  await devnet.increaseTime(400)
  expect((await admitting).status).toBe('rejected')
  await devnet.setAutomine('on')
  const subject = payer(0).address.toLowerCase()
  expect(await paywall.store.payerFaults({ subject, now: paywall.clock() })).toHaveLength(1)
  paywall.passSeconds(400)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  expect(await balance(0)).toBe(funds)
})

test('an authorization that expires during its service is charged, refunded and replayed as any other', async () => {
  const paywall = open()
  const { v2 } = await payHeaders(devnet, payer(0))
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  const begun = await paywall.gate.begin(payment)
  if (begun.status !== 'begun') throw new Error(begun.status)
  await devnet.increaseTime(400)
  paywall.passSeconds(400)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('pending')
  const answer = { statusCode: 200, contentType: 'text/plain', body: Buffer.from('late') }
  await paywall.gate.complete(begun.payment, { cost: usdc(4_000n), usage: null, answer })
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('replayed')
  await finishRefunds(paywall)
  expect(await balance(0)).toBe(funds - 4_000n)
})
