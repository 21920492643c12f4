import { type Devnet, startDevnet } from '@farebox/devnet'
import {
  type Flashblocks,
  type RpcFaults,
  type ShownReceipt,
  startFlashblocks,
  startRpcFaults,
} from '@farebox/devnet/faults'
import { createMemoryStore, type PaymentRecord } from '@farebox/ledger'
import type { Preconfirmed } from '@farebox/payments'
import {
  createPreconfirmations,
  createTransactionQueue,
  type TransactionQueue,
} from '@farebox/payments/chain'
import { type Hex, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openFlashblocksPaywall } from '../support/flashblocks-paywall.ts'
import { cancelNonce, executeAuthorization } from '../support/on-chain.ts'
import { network, usdc } from '../support/pay.ts'
import {
  admitted,
  payHeaders,
  requestFor,
  runRefunds,
  type TestPaywall,
} from '../support/test-paywall.ts'

let devnet: Devnet
let node: Flashblocks
let way: RpcFaults
let payers = 0
const opened: TestPaywall[] = []
beforeAll(async () => {
  devnet = await startDevnet({ payers: 40 })
  node = await startFlashblocks({ target: devnet.rpcUrl })
  way = await startRpcFaults({ target: node.url })
})
afterEach(async () => {
  node.setShown((receipt) => receipt)
  way.setRule()
  await devnet.setAutomine('on')
  await devnet.mine(1)
  for (const paywall of opened.splice(0)) paywall.close()
})
afterAll(async () => {
  await way.stop()
  await node.stop()
  await devnet.stop()
})

type Options = Omit<Parameters<typeof openFlashblocksPaywall>[0], 'devnet' | 'rpcUrl'>

function open(options: Options & { readonly rpcUrl?: string } = {}): TestPaywall {
  const paywall = openFlashblocksPaywall({ devnet, rpcUrl: way.url, ...options })
  opened.push(paywall)
  return paywall
}

/** A sale in progress whose transaction waits for a block. */
async function admitWaiting(paywall: TestPaywall, payer = devnet.payers[payers++]!) {
  const { v2, signed } = await payHeaders(devnet, payer)
  const started: PaymentRecord[] = []
  const shown = Promise.withResolvers<Preconfirmed>()
  const released: Preconfirmed[] = []
  await devnet.setAutomine('off')
  const admitting = paywall.gate.admit({
    ...requestFor(v2),
    startOverlapping: (payment) => void started.push(payment),
    onPreconfirmed: (preconfirmed) => {
      released.push(preconfirmed)
      shown.resolve(preconfirmed)
    },
  })
  return { payer, v2, signed, started, shown: shown.promise, released, admitting }
}

/** Resolves when the settlement waits for its block. */
async function inPool(count = 1): Promise<void> {
  await expect
    .poll(() => devnet.rpc('eth_getBlockTransactionCountByNumber', ['pending']))
    .toBe(`0x${count.toString(16)}`)
}

function noticesOf({ notices }: TestPaywall, type: string) {
  return notices.filter((notice) => notice.type === type)
}

test('bytes may leave when the transfer is preconfirmed, and its block makes it a proof', async () => {
  const paywall = open()
  const sale = await admitWaiting(paywall)
  const { transaction, headers } = await sale.shown
  const before = await paywall.store.load(sale.started[0]!.id)
  expect(before).toMatchObject({ status: 'settling', settlement: null })
  expect(await devnet.rpc('eth_getTransactionReceipt', [transaction])).toBeNull()
  await devnet.mine(1)
  const payment = admitted(await sale.admitting)
  expect(payment).toMatchObject({ status: 'serving', settlement: { transaction } })
  expect(await sale.admitting).toHaveProperty('headers', headers)
  expect(sale.released.length).toBe(1)
  expect(noticesOf(paywall, 'fault')).toEqual([])
  const outcome = { cost: usdc(4_000n), usage: null, answer: null }
  expect((await paywall.gate.complete(payment, outcome)).payment.status).toBe('completed')
})

test('each payment of a group is released with the one receipt', async () => {
  const paywall = open({ policy: { maxRiskTotal: usdc(1_000_000n) } })
  const sales = await Promise.all([1, 2, 3, 4].map(() => admitWaiting(paywall)))
  const shown = await Promise.all(sales.map((sale) => sale.shown))
  expect(new Set(shown.map(({ transaction }) => transaction)).size).toBeLessThan(4)
  await devnet.mine(1)
  for (const { admitting } of sales) admitted(await admitting)
})

test.each([
  ['the policy releases with the proof', { releaseWith: 'proof' }],
  ['nothing may be at risk', { maxRiskTotal: usdc(0n) }],
] as const)('nothing leaves before the proof if %s', async (_, policy) => {
  node.setShown(() => null)
  const sale = await admitWaiting(open({ policy }))
  await showing()
  await devnet.mine(1)
  admitted(await sale.admitting)
  expect(sale.released).toEqual([])
})

/** Resolves when the node has shown something from now on. */
async function showing(change = (shown: ShownReceipt): object | null => shown): Promise<void> {
  let shown = 0
  node.setShown((receipt) => {
    shown += 1
    return change(receipt)
  })
  await expect.poll(() => shown).toBeGreaterThan(0)
}

const otherHash = `0x${'7'.repeat(64)}`

/** The receipt with a change of its last log, the transfer. */
function withTransfer(receipt: ShownReceipt, change: object): object {
  return { ...receipt, logs: [receipt.logs[0], { ...receipt.logs[1], ...change }] }
}

test.each<[string, (receipt: ShownReceipt) => object]>([
  ['a unit less', (receipt) => withTransfer(receipt, { data: '0x270f' })],
  [
    'another payee',
    (receipt) => {
      const [event, from] = receipt.logs[1]!.topics
      return withTransfer(receipt, { topics: [event, from, `0x${'2'.repeat(64)}`] })
    },
  ],
  ['another token', (receipt) => withTransfer(receipt, { address: `0x${'3'.repeat(40)}` })],
  [
    'the log of another transaction',
    (receipt) => withTransfer(receipt, { transactionHash: otherHash }),
  ],
  ['no transfer', (receipt) => ({ ...receipt, logs: receipt.logs.slice(0, 1) })],
  ['no authorization', (receipt) => ({ ...receipt, logs: receipt.logs.slice(1) })],
  ['no logs', (receipt) => ({ ...receipt, logs: [] })],
  ['a failure', (receipt) => ({ ...receipt, status: '0x0' })],
  [
    'the receipt of another transaction',
    (receipt) => ({
      ...receipt,
      transactionHash: otherHash,
      logs: receipt.logs.map((log) => ({ ...log, transactionHash: otherHash })),
    }),
  ],
  ['a block from before the claim', (receipt) => ({ ...receipt, blockNumber: '0x1' })],
  ['no block', (receipt) => ({ ...receipt, blockNumber: null, blockHash: null })],
])('nothing leaves with a preconfirmation that shows %s', async (_, change) => {
  node.setShown(() => null)
  const sale = await admitWaiting(open())
  await showing(change)
  await devnet.mine(1)
  admitted(await sale.admitting)
  expect(sale.released).toEqual([])
})

test('a node without preconfirmations serves as before, for one call more', async () => {
  const asked: number[] = []
  for (const releaseWith of ['proof', 'preconfirmation'] as const) {
    const ordinary = await startRpcFaults({ target: devnet.rpcUrl })
    const paywall = open({ rpcUrl: ordinary.url, policy: { releaseWith } })
    const sale = await admitWaiting(paywall)
    await inPool()
    await devnet.mine(1)
    admitted(await sale.admitting)
    expect([sale.started.length, sale.released.length]).toEqual([1, 0])
    asked.push(ordinary.calls.filter(({ method }) => method === 'eth_getBlockByNumber').length)
    await ordinary.stop()
  }
  const [before = 0, after = 0] = asked
  expect(after).toBeLessThanOrEqual(before + 1)
})

/** The next block is built without what was shown. Until `meanwhile` ends, it cannot be sent again. */
async function revoke<Done>({ transaction }: Preconfirmed, meanwhile: () => Promise<Done>) {
  way.setRule(({ method }) => (method.startsWith('eth_sendRaw') ? { kind: 'refuse' } : undefined))
  await devnet.dropTransaction(transaction)
  await devnet.setAutomine('on')
  const done = await meanwhile()
  way.setRule()
  return done
}

test('a payer that cancels after a revoked preconfirmation costs what was at risk, and its trust', async () => {
  const paywall = open({ stuckAfterMs: 100 })
  const sale = await admitWaiting(paywall)
  await revoke(await sale.shown, () => cancelNonce(devnet, sale.payer, sale.signed.message.nonce))
  expect((await sale.admitting).status).toBe('rejected')
  const [lost] = noticesOf(paywall, 'preconfirmation_lost')
  expect(lost).toMatchObject({ transaction: sale.released[0]?.transaction })
  expect(noticesOf(paywall, 'service_ahead_lost').length).toBe(1)
  node.setShown(() => null)
  const next = await admitWaiting(paywall, sale.payer)
  await showing()
  expect([next.started, next.released]).toEqual([[], []])
  await devnet.mine(1)
  admitted(await next.admitting)
})

test('what was lost counts against the limit of all payers until the window ends', async () => {
  const paywall = open({ stuckAfterMs: 100 })
  for (const _ of [1, 2, 3]) {
    const sale = await admitWaiting(paywall)
    await revoke(await sale.shown, () => cancelNonce(devnet, sale.payer, sale.signed.message.nonce))
    expect((await sale.admitting).status).toBe('rejected')
  }
  node.setShown(() => null)
  const first = await admitWaiting(paywall)
  await showing()
  await devnet.mine(1)
  admitted(await first.admitting)
  expect([first.started, first.released]).toEqual([[], []])
  paywall.passSeconds(61)
  const second = await admitWaiting(paywall)
  await second.shown
  await devnet.mine(1)
  admitted(await second.admitting)
})

test('a transfer that another transaction makes in place of the one that was shown is the proof', async () => {
  const paywall = open({ stuckAfterMs: 100 })
  const sale = await admitWaiting(paywall)
  const shown = await sale.shown
  const transaction = await revoke(shown, () => executeAuthorization(devnet, sale.signed))
  expect(transaction).not.toBe(shown.transaction)
  expect(admitted(await sale.admitting)).toMatchObject({
    status: 'serving',
    settlement: { transaction },
  })
  expect(noticesOf(paywall, 'preconfirmation_lost')).toEqual([])
})

test('a transaction whose preconfirmation is revoked is sent again', async () => {
  const sale = await admitWaiting(open({ stuckAfterMs: 100 }))
  const shown = await sale.shown
  await revoke(shown, async () => null)
  await devnet.mine(1)
  expect(admitted(await sale.admitting).status).toBe('serving')
  expect(sale.released).toEqual([shown])
})

async function sendWaiting(queue: TransactionQueue): Promise<Hex> {
  await devnet.setAutomine('off')
  const outcome = await queue.send({ to: devnet.relayer.address, data: '0x01' })
  if (outcome.status !== 'sent') throw new Error(outcome.status)
  return outcome.transaction
}

test('where preconfirmations are not read, their receipt does not end a transaction', async () => {
  const key = devnet.relayer.privateKey
  const queue = createTransactionQueue({ rpcUrl: node.url, network, key, stuckAfterMs: 500 })
  const transaction = await sendWaiting(queue)
  const found = queue.receiptOf(transaction, 120_000)
  await showing()
  await devnet.dropTransaction(transaction)
  await devnet.setBlockTime(1)
  const { transactionHash: sent, blockHash } = (await found) ?? {}
  expect(await devnet.rpc('eth_getTransactionReceipt', [sent])).toMatchObject({ blockHash })
  queue.close()
})

test('a preconfirmation that a node still shows does not end its transaction once another has taken the nonce', async () => {
  const { relayer } = devnet
  const stale = await startRpcFaults({ target: node.url })
  const shown = Promise.withResolvers<ShownReceipt>()
  node.setShown((receipt) => {
    shown.resolve(receipt)
    return receipt
  })
  const options = { rpcUrl: stale.url, network, key: relayer.privateKey, pollMs: 10 }
  const preconfirmations = createPreconfirmations(options)
  // The longer a transaction has waited, the less often it is asked for.
  let now = 0
  const queue = createTransactionQueue({ ...options, preconfirmations, clock: () => now })
  const transaction = await sendWaiting(queue)
  const found = queue.receiptOf(transaction, 120_000)
  const result = await shown.promise
  stale.setRule(({ method, params }) =>
    method === 'eth_getTransactionReceipt' && params[0] === transaction
      ? { kind: 'result', result }
      : undefined,
  )
  await devnet.dropTransaction(transaction)
  await devnet.rpc('anvil_impersonateAccount', [relayer.address])
  const other = { from: relayer.address, to: relayer.address, data: '0x02' }
  await devnet.rpc('eth_sendTransaction', [other])
  await devnet.setAutomine('on')
  await devnet.mine(1)
  now = 200
  const { transactionHash, blockHash } = (await found) ?? {}
  expect(transactionHash).not.toBe(transaction)
  const mined = await devnet.rpc('eth_getTransactionReceipt', [transactionHash])
  expect(mined).toMatchObject({ blockHash })
  queue.close()
  await stale.stop()
})

test('a receipt from outside the chain of its node is not a preconfirmation; one ahead of it is', async () => {
  const key = devnet.relayer.privateKey
  const options = { rpcUrl: node.url, network, key, pollMs: 10 }
  const preconfirmations = createPreconfirmations(options)
  const queue = createTransactionQueue({ ...options, preconfirmations })
  node.setShown(() => null)
  const transaction = await sendWaiting(queue)
  const shown: unknown[] = []
  preconfirmations.watch(transaction, ({ blockNumber }) => void shown.push(blockNumber))
  let polls = 0
  node.setShown((receipt) => {
    polls += 1
    return { ...receipt, blockNumber: toHex(BigInt(receipt.blockNumber) - 1n) }
  })
  await expect.poll(() => polls).toBeGreaterThan(2)
  expect(shown).toEqual([])
  node.setShown((receipt) => receipt)
  await expect.poll(() => shown.length).toBeGreaterThan(0)
  queue.close()
})

test('a transaction that is replaced at a higher fee is released with its replacement', async () => {
  const hidden = new Set<string>()
  const show = (receipt: ShownReceipt): object | null => {
    if (hidden.size === 0) hidden.add(receipt.transactionHash)
    return hidden.has(receipt.transactionHash) ? null : receipt
  }
  node.setShown(show)
  const sale = await admitWaiting(open({ stuckAfterMs: 100 }))
  const { transaction } = await sale.shown
  expect(hidden).not.toContain(transaction)
  await devnet.mine(1)
  expect(admitted(await sale.admitting).settlement?.transaction).toBe(transaction)
})

test('a receipt of a block that is far ahead does not hold up its transaction, or the next', async () => {
  const ahead = (receipt: ShownReceipt): object => ({ ...receipt, blockNumber: '0xffffff' })
  node.setShown(ahead)
  const paywall = open()
  for (const _ of [1, 2]) {
    const sale = await admitWaiting(paywall)
    await sale.shown
    await devnet.mine(1)
    expect((await sale.admitting).status).toBe('settled')
  }
})

test('a crash after bytes have left ends in a full refund', async () => {
  const store = createMemoryStore()
  const dead = open({
    policy: { leaseMs: 1_000 },
    timers: { after: () => () => undefined },
    store: { ...store, apply: () => new Promise<never>(() => undefined) },
  })
  const sale = await admitWaiting(dead)
  const balance = await devnet.usdcBalance(sale.payer.address)
  await sale.shown
  dead.close()
  await devnet.setAutomine('on')
  await devnet.mine(3)
  expect(await devnet.usdcBalance(sale.payer.address)).toBeLessThan(balance)
  const next = open({ store })
  next.passSeconds(31)
  await next.recovery.runOnce()
  expect(await next.store.load(sale.started[0]!.id)).toMatchObject({ status: 'failed', cost: 0n })
  await runRefunds(next)
  expect(await devnet.usdcBalance(sale.payer.address)).toBe(balance)
})

test('a proof that never comes ends in an unknown payment, and nothing is released after that', async () => {
  const paywall = open({ policy: { settleTimeoutMs: 300 } })
  node.setShown(() => null)
  const sale = await admitWaiting(paywall)
  expect((await sale.admitting).status).toBe('pending')
  await showing()
  expect(sale.released).toEqual([])
  expect(noticesOf(paywall, 'preconfirmation_lost')).toEqual([])
  expect(noticesOf(paywall, 'service_ahead_lost').length).toBe(1)
})
