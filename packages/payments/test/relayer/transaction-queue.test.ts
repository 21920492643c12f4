import { type Devnet, startDevnet } from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import {
  createInProcessFacilitator,
  createTransactionQueue,
  type QueueNotice,
  type QueueOutcome,
  type TransactionQueueOptions,
} from '@farebox/payments/chain'
import { type Hex, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { contextFor, network, paymentFor } from '../support/pay.ts'

let devnet: Devnet
let snapshot: string
const ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  devnet = await startDevnet({ payers: 50 })
})
afterAll(() => devnet.stop())
beforeEach(async () => {
  snapshot = await devnet.snapshot()
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await devnet.setAutomine('on')
  await devnet.revert(snapshot)
})

function queueOn(rpcUrl: string, options: Partial<TransactionQueueOptions> = {}) {
  const notices: QueueNotice[] = []
  const queue = createTransactionQueue({
    rpcUrl,
    network,
    key: devnet.relayer.privateKey,
    notify: (notice) => notices.push(notice),
    ...options,
  })
  ends.push(() => queue.close())
  return { queue, notices }
}

/** A transfer of zero from the relayer, identified by its recipient. */
function mark(index: number): { to: Hex; data: Hex } {
  return { to: toHex(0xfa0000 + index, { size: 20 }), data: '0x01' }
}

async function settleAll(signers: readonly { address: Hex; privateKey: Hex }[]) {
  const { queue } = queueOn(devnet.rpcUrl)
  const facilitator = createInProcessFacilitator({ rpcUrl: devnet.rpcUrl, network, queue })
  const to = devnet.treasury.address
  const context = contextFor(to, 1_000n)
  const payments = await Promise.all(
    signers.map((signer) => paymentFor({ signer, to, value: 1_000n }, context)),
  )
  return await Promise.all(
    payments.map((payment) => facilitator.settle(payment, AbortSignal.timeout(25_000))),
  )
}

test('settles 40 payers at once, in one transaction', async () => {
  const outcomes = await settleAll(devnet.payers.slice(0, 40))
  expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(40).fill('settled'))
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(40_000n)
  expect(
    new Set(outcomes.map((outcome) => 'transaction' in outcome && outcome.transaction)).size,
  ).toBe(1)
})

test('sends 40 calls at once, each with its own nonce', async () => {
  const { queue } = queueOn(devnet.rpcUrl)
  const marks = Array.from({ length: 40 }, (_, index) => mark(index))
  const receipts = await Promise.all(
    marks.map(async (call) => await receipt(queue, await queue.send(call))),
  )
  expect(receipts.map((found) => found?.to)).toEqual(marks.map(({ to }) => to))
  expect(await nonceOf(devnet.relayer.address)).toBe(40)
})

test('the recorded cost of transactions is what the relayer paid, reverted ones included', async () => {
  const { queue, notices } = queueOn(devnet.rpcUrl)
  const balance = async () =>
    BigInt(await devnet.rpc<Hex>('eth_getBalance', [devnet.relayer.address, 'latest']))
  const before = await balance()
  // The gas is enough for the bytes, and not for the call.
  const failing = { to: devnet.usdc, data: '0xdeadbeef', gas: 30_000n, purpose: 'refund' } as const
  for (const call of [mark(0), failing, mark(1)]) await receipt(queue, await queue.send(call))
  const paid = notices.flatMap((notice) => (notice.type === 'mined' ? [notice.paid] : []))
  expect(paid.map(({ nonce, purpose, succeeded }) => [nonce, purpose, succeeded])).toEqual([
    [0, 'settlement', true],
    [1, 'refund', false],
    [2, 'settlement', true],
  ])
  expect(paid.reduce((sum, { fee }) => sum + fee, 0n)).toBe(before - (await balance()))
})

test('10 payers without funds among 50 do not hold up the others, nor later payers', async () => {
  const poor = Array.from({ length: 10 }, () => {
    const privateKey = generatePrivateKey()
    return { privateKey, address: privateKeyToAddress(privateKey) }
  })
  const rich = devnet.payers.slice(0, 40)
  const mixed = rich.flatMap((payer, index) => {
    const broke = index % 4 === 0 ? poor[index / 4] : undefined
    return broke === undefined ? [payer] : [broke, payer]
  })
  const outcomes = await settleAll(mixed)
  const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(rejected).toEqual(
    Array(10).fill({ status: 'rejected', reason: 'invalid_exact_evm_insufficient_balance' }),
  )
  expect(outcomes.filter((outcome) => outcome.status === 'settled')).toHaveLength(40)
  const after = await settleAll(rich)
  expect(after.filter((outcome) => outcome.status === 'settled')).toHaveLength(40)
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(80_000n)
})

test('a call that would revert takes no nonce', async () => {
  const { queue } = queueOn(devnet.rpcUrl)
  const before = await nonceOf(devnet.relayer.address)
  const outcome = await queue.send({ to: devnet.usdc, data: '0xdeadbeef' })
  expect(outcome.status).toBe('reverts')
  expect(await nonceOf(devnet.relayer.address)).toBe(before)
})

test('equal calls are one transaction while they are pending', async () => {
  const { queue } = queueOn(devnet.rpcUrl)
  await devnet.setAutomine('off')
  const sent = await Promise.all(Array.from({ length: 5 }, () => queue.send(mark(0))))
  const again = await queue.send(mark(0))
  expect(
    new Set([...sent, again].map((outcome) => 'transaction' in outcome && outcome.transaction))
      .size,
  ).toBe(1)
  expect(queue.waiting()).toBe(1)
})

test('a broadcast whose response is lost keeps its nonce and is found by its hash', async () => {
  const faults = await startRpcFaults({ target: devnet.rpcUrl })
  ends.push(faults.stop)
  faults.setRule(({ method, nth }) =>
    method === 'eth_sendRawTransaction' && nth === 1 ? { kind: 'lose-answer' } : undefined,
  )
  const { queue } = queueOn(faults.url)
  const first = await queue.send(mark(0))
  const second = await queue.send(mark(1))
  expect(first).toMatchObject({ status: 'unknown', reason: 'no_answer' })
  expect(second.status).toBe('sent')
  const receipts = await Promise.all([receipt(queue, first), receipt(queue, second)])
  expect(receipts.map((found) => found?.status)).toEqual(['success', 'success'])
})

test('a broadcast that never arrived is repeated with the same bytes', async () => {
  const faults = await startRpcFaults({ target: devnet.rpcUrl })
  ends.push(faults.stop)
  faults.setRule(({ method, nth }) =>
    method === 'eth_sendRawTransaction' && nth === 1 ? { kind: 'refuse' } : undefined,
  )
  const { queue } = queueOn(faults.url)
  const outcome = await queue.send(mark(0))
  expect(outcome.status).toBe('unknown')
  const found = await receipt(queue, outcome)
  expect(found?.transactionHash).toBe('transaction' in outcome ? outcome.transaction : null)
  const raw = faults.calls.filter((call) => call.method === 'eth_sendRawTransaction')
  expect(new Set(raw.map((call) => call.params[0])).size).toBe(1)
})

/** A node that rejects the first marked transfer. */
async function rejecting(message: string): Promise<string> {
  const unwanted = mark(0).to.slice(2)
  const faults = await startRpcFaults({
    target: devnet.rpcUrl,
    rule: ({ method, params }) =>
      method === 'eth_sendRawTransaction' && String(params[0]).includes(unwanted)
        ? { kind: 'error', code: -32000, message }
        : undefined,
  })
  ends.push(faults.stop)
  return faults.url
}

test('a transaction that the node keeps rejecting frees its nonce after a while', async () => {
  let now = 0
  const { queue, notices } = queueOn(await rejecting('unwelcome'), { clock: () => now })
  const rejected = await queue.send(mark(0))
  const next = await queue.send(mark(1))
  now = 200
  expect(rejected).toMatchObject({ status: 'unknown', reason: 'node_error_-32000' })
  expect(await receipt(queue, rejected)).toBeUndefined()
  expect((await receipt(queue, next))?.status).toBe('success')
  expect(notices).toContainEqual(expect.objectContaining({ type: 'stuck' }))
})

test.each([
  'exceeds block gas limit',
  'transaction gas limit too high (cap: 16777216, tx: 24000000)',
  'intrinsic gas too low',
])('a transaction that no block takes (%s) does not hold up the next', async (message) => {
  const { queue } = queueOn(await rejecting(message), { pollMs: 300 })
  expect((await queue.send(mark(0))).status).toBe('reverts')
  expect(queue.waiting()).toBe(0)
  const next = await queue.send(mark(1))
  expect((await receipt(queue, next))?.status).toBe('success')
})

test('nothing is sent above the limit of gas, wherever it comes from', async () => {
  const { queue } = queueOn(devnet.rpcUrl, { maxGas: 50_000n })
  const before = await nonceOf(devnet.relayer.address)
  expect((await queue.send({ ...mark(0), gas: 50_001n })).status).toBe('reverts')
  expect((await queue.send({ ...mark(0), gasLimit: 20_000n })).status).toBe('reverts')
  expect(await nonceOf(devnet.relayer.address)).toBe(before)
  expect((await queue.send({ ...mark(0), gas: 50_000n })).status).toBe('sent')
})

test('a transaction that the node forgets is sent again', async () => {
  const { queue } = queueOn(devnet.rpcUrl, { stuckAfterMs: 400 })
  await devnet.setAutomine('off')
  const outcomes = [await queue.send(mark(0)), await queue.send(mark(1))]
  const [first] = outcomes
  if (first?.status !== 'sent') throw new Error('expected it to be sent')
  await devnet.dropTransaction(first.transaction)
  const waits = outcomes.map((outcome) => receipt(queue, outcome))
  await devnet.setBlockTime(1)
  const found = await Promise.all(waits)
  expect(found.map((one) => one?.status)).toEqual(['success', 'success'])
})

const replacedIn = (notices: readonly QueueNotice[]): readonly Hex[] =>
  notices.flatMap((one) => (one.type === 'replaced' ? [one.transaction] : []))

test('an unmined transaction is replaced at a higher fee, within the cap', async () => {
  const { queue, notices } = queueOn(devnet.rpcUrl, { stuckAfterMs: 50 })
  await devnet.setAutomine('off')
  const outcome = await queue.send(mark(0))
  const found = receipt(queue, outcome)
  await expect.poll(() => replacedIn(notices).length).toBeGreaterThan(1)
  await devnet.mine(1)
  const mined = await found
  expect(replacedIn(notices)).toContain(mined?.transactionHash)
  expect(queue.waiting()).toBe(0)
})

test('what replaces an unmined settlement moves the same money', async () => {
  const { rpcUrl, treasury, payers } = devnet
  const { queue, notices } = queueOn(rpcUrl, { stuckAfterMs: 50 })
  const facilitator = createInProcessFacilitator({ rpcUrl, network, queue })
  const to = treasury.address
  const signer = payers[0]!
  const payment = await paymentFor({ signer, to, value: 1_000n }, contextFor(to, 1_000n))
  await devnet.setAutomine('off')
  const settled = facilitator.settle(payment, AbortSignal.timeout(25_000))
  await expect.poll(() => replacedIn(notices).length).toBeGreaterThan(0)
  await devnet.mine(1)
  expect((await settled).status).toBe('settled')
  expect(await devnet.usdcBalance(to)).toBe(1_000n)
})

test('above the fee cap nothing is sent or replaced', async () => {
  const { queue: tight } = queueOn(devnet.rpcUrl, { maxFeePerGas: 1_000n })
  expect(await tight.send(mark(0))).toEqual({ status: 'unavailable', reason: 'fee_cap' })

  const { queue, notices } = queueOn(devnet.rpcUrl, {
    stuckAfterMs: 20,
    maxFeePerGas: 1_020_000_000n,
  })
  await devnet.setAutomine('off')
  const outcome = await queue.send(mark(0))
  expect(outcome.status).toBe('sent')
  await expect.poll(() => notices.some((one) => one.type === 'stuck')).toBe(true)
  expect(notices.filter((one) => one.type === 'replaced')).toEqual([])
})

test('while the account that signs is down nothing is sent, and no nonce is taken', async () => {
  const account = privateKeyToAccount(devnet.relayer.privateKey)
  let isDown = true
  const { queue } = queueOn(devnet.rpcUrl, {
    key: {
      address: account.address,
      sign: async (hash) => (isDown ? Promise.reject(new Error('503')) : account.sign(hash)),
    },
  })
  expect(await queue.send(mark(0))).toEqual({ status: 'unavailable', reason: 'signer_down' })
  expect(queue.waiting()).toBe(0)
  isDown = false
  const found = await receipt(queue, await queue.send(mark(1)))
  expect(found).toMatchObject({ status: 'success', to: mark(1).to })
})

test('three processes with one key complete all of their transactions', async () => {
  const queues = [queueOn(devnet.rpcUrl), queueOn(devnet.rpcUrl), queueOn(devnet.rpcUrl)]
  await devnet.setAutomine('off')
  await devnet.setBlockTime(1)
  const receipts = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { queue } = queues[index % 3] ?? queueOn(devnet.rpcUrl)
      return await receipt(queue, await queue.send(mark(index)))
    }),
  )
  const recipients = receipts.map((found) => found?.to)
  expect(recipients).toEqual(Array.from({ length: 30 }, (_, index) => mark(index).to))
})

test('a transaction that another process with the same key replaced is sent again', async () => {
  let now = 0
  const { queue, notices } = queueOn(devnet.rpcUrl, { clock: () => now })
  const nonce = await nonceOf(devnet.relayer.address)
  await devnet.setAutomine('off')
  const found = receipt(queue, await queue.send(mark(0)), 60_000)
  const rival = privateKeyToAccount(devnet.relayer.privateKey)
  const serialized = await rival.signTransaction({
    ...mark(1),
    nonce,
    chainId: devnet.chainId,
    gas: 30_000n,
    maxFeePerGas: 50_000_000_000n,
    maxPriorityFeePerGas: 50_000_000_000n,
  })
  await devnet.rpc('eth_sendRawTransaction', [serialized])
  await devnet.setAutomine('on')
  await devnet.mine(1)
  // It has waited so long that it is asked for every five seconds, until its nonce is used.
  now = 40_000
  expect((await found)?.to).toBe(mark(0).to)
  expect(notices).toContainEqual({ type: 'nonce_conflict', nonce })
  expect(await nonceOf(devnet.relayer.address)).toBe(nonce + 2)
})

test('a relayer without ETH sends nothing, and sends again once it has some', async () => {
  const { queue } = queueOn(devnet.rpcUrl)
  await devnet.setEthBalance(devnet.relayer.address, 0n)
  expect(await queue.send(mark(0))).toEqual({ status: 'unavailable', reason: 'no_gas' })
  await devnet.setEthBalance(devnet.relayer.address, 10n ** 18n)
  expect((await receipt(queue, await queue.send(mark(0))))?.status).toBe('success')
})

test('nothing is sent to a node that is down', async () => {
  const faults = await startRpcFaults({ target: devnet.rpcUrl, rule: () => ({ kind: 'refuse' }) })
  ends.push(faults.stop)
  const { queue } = queueOn(faults.url)
  expect(await queue.send(mark(0))).toEqual({ status: 'unavailable', reason: 'rpc_down' })
})

test.each([1, 2, 3].slice(0, proofSize({ quick: 1, all: 3 })))(
  'after a period of node faults, nothing stays stuck (seed %i)',
  async (seed) => {
    const random = randomFrom(seed)
    const faults = await startRpcFaults({ target: devnet.rpcUrl })
    ends.push(faults.stop)
    faults.setRule(({ method }) => {
      // A fault of one read is one of all ten in its request.
      const dice = random() * (method === 'eth_sendRawTransaction' ? 1 : 8)
      if (dice < 0.08) return { kind: 'lose-answer' }
      if (dice < 0.16) return { kind: 'refuse' }
      if (dice < 0.2) return { kind: 'garbage' }
      if (dice < 0.24) return { kind: 'status', status: 502 }
      return dice < 0.3 ? { kind: 'error', code: -32005, message: 'limit exceeded' } : undefined
    })
    const { queue } = queueOn(faults.url, { stuckAfterMs: 200 })
    await devnet.setAutomine('off')
    await devnet.setBlockTime(1)
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => queue.send(mark(index))),
    )
    const sent = outcomes.flatMap((outcome, index) =>
      'transaction' in outcome ? [{ outcome, index }] : [],
    )
    const waits = sent.map(({ outcome }) => receipt(queue, outcome))
    faults.setRule()
    const found = await Promise.all(waits)
    expect(found.map((one) => one?.to)).toEqual(sent.map(({ index }) => mark(index).to))
    expect(sent.length).toBeGreaterThan(5)
    expect(queue.waiting()).toBe(0)
    const after = await queue.send(mark(99))
    expect((await receipt(queue, after))?.status).toBe('success')
  },
)

/** A small deterministic generator (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Queue = ReturnType<typeof queueOn>['queue']

async function receipt(queue: Queue, outcome: QueueOutcome, timeoutMs = 120_000) {
  if (!('transaction' in outcome)) throw new Error(`expected a transaction, got ${outcome.status}`)
  return await queue.receiptOf(outcome.transaction, timeoutMs)
}

const nonceOf = async (address: Hex): Promise<number> =>
  Number(await devnet.rpc<Hex>('eth_getTransactionCount', [address, 'latest']))
