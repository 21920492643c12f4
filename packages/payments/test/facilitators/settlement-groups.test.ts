import {
  burningWallet,
  type Devnet,
  type DevnetAccount,
  delegateTo,
  startDevnet,
} from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import {
  createChainReader,
  createInProcessFacilitator,
  createTransactionQueue,
  type Facilitator,
} from '@farebox/payments/chain'
import type { SignedPayment } from '@farebox/payments/wire'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { cancelNonce, executeAuthorization, transferFrom } from '../support/on-chain.ts'
import { contextFor, network, paymentFor, signAuthorization } from '../support/pay.ts'

const price = 1_000n
let devnet: Devnet
let node: RpcFaults
let snapshot: string
const ends: (() => void)[] = []

beforeAll(async () => {
  devnet = await startDevnet({ payers: 50 })
  node = await startRpcFaults({ target: devnet.rpcUrl })
})
afterAll(async () => {
  await node.stop()
  await devnet.stop()
})
beforeEach(async () => {
  snapshot = await devnet.snapshot()
})
afterEach(async () => {
  node.setRule()
  for (const end of ends.splice(0)) end()
  await devnet.revert(snapshot)
})

function open(): { readonly facilitator: Facilitator; settle: typeof settleAll } {
  const { url: rpcUrl } = node
  const queue = createTransactionQueue({ rpcUrl, network, key: devnet.relayer.privateKey })
  ends.push(() => queue.close())
  const facilitator = createInProcessFacilitator({ rpcUrl, network, queue })
  return { facilitator, settle: (payments) => settleAll(payments, facilitator) }
}

function settleAll(payments: readonly SignedPayment[], facilitator = open().facilitator) {
  return Promise.all(
    payments.map((payment) => facilitator.settle(payment, AbortSignal.timeout(20_000))),
  )
}

function payers(from: number, to: number): readonly DevnetAccount[] {
  return devnet.payers.slice(from, to)
}

function paymentOf(
  signer: DevnetAccount,
  change: { readonly nonce?: Hex; readonly validAfter?: number } = {},
): Promise<SignedPayment> {
  const to = devnet.treasury.address
  return paymentFor({ signer, to, value: price, ...change }, contextFor(to, price))
}

/** Seconds since 1970. */
async function latestTimestamp(): Promise<number> {
  const block = await devnet.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  return Number(block.timestamp)
}

const paymentsOf = (signers: readonly DevnetAccount[]): Promise<readonly SignedPayment[]> =>
  Promise.all(signers.map((signer) => paymentOf(signer)))

type Receipt = { readonly gasUsed: Hex; readonly to: Hex; readonly status: Hex }

async function receiptsOf(
  outcomes: Awaited<ReturnType<typeof settleAll>>,
): Promise<readonly Receipt[]> {
  const transactions = outcomes.flatMap((outcome) =>
    outcome.status === 'settled' ? [outcome.transaction] : [],
  )
  return await Promise.all(
    [...new Set(transactions)].map((hash) =>
      devnet.rpc<Receipt>('eth_getTransactionReceipt', [hash]),
    ),
  )
}

test('50 payments that arrive together are one transaction, at 60,000 gas each at most', async () => {
  const { settle } = open()
  await settle(await paymentsOf(payers(0, 1)))
  const outcomes = await settle(await paymentsOf(payers(0, 50)))
  expect(outcomes.map(({ status }) => status)).toEqual(Array(50).fill('settled'))
  const [receipt, ...others] = await receiptsOf(outcomes)
  expect(others).toEqual([])
  expect(receipt?.to).toBe(network.multicall3)
  expect(Number(receipt?.gasUsed) / 50).toBeLessThanOrEqual(60_000)
})

test('a payment alone is a plain transfer', async () => {
  const outcomes = await settleAll(await paymentsOf(payers(0, 1)))
  expect((await receiptsOf(outcomes)).map(({ to }) => to)).toEqual([network.usdc])
})

test.each([
  ['alone', 1],
  ['with others', 3],
])('what is valid from the next block on is settled, %s', async (_, count) => {
  const validAfter = await latestTimestamp()
  await devnet.rpc('evm_increaseTime', [2])
  const signed = payers(0, count).map((signer) => paymentOf(signer, { validAfter }))
  const outcomes = await settleAll(await Promise.all(signed))
  expect(outcomes.map(({ status }) => status)).toEqual(Array(count).fill('settled'))
})

test.each([
  ['later', 3_600, 'none'],
  ['from the next block on, at a node that does not know it,', 0, 'pending'],
])('what is valid %s is not sent', async (_, seconds, unknownBlock) => {
  const validAfter = (await latestTimestamp()) + seconds
  await devnet.rpc('evm_increaseTime', [2])
  node.setRule(({ params }) =>
    params[1] === unknownBlock
      ? { kind: 'error', code: -32_000, message: 'unknown block' }
      : undefined,
  )
  const signed = payers(0, 2).map((signer) => paymentOf(signer, { validAfter }))
  const reason = 'invalid_exact_evm_payload_authorization_valid_after'
  expect(await settleAll(await Promise.all(signed))).toEqual(
    Array(2).fill({ status: 'rejected', reason }),
  )
})

test('payments that cannot succeed are not sent, and each gets its own reason', async () => {
  const [blocked, poor, ...rich] = payers(0, 5)
  await devnet.blacklist(blocked!.address)
  await transferFrom(devnet, poor!.address, {
    to: devnet.treasury.address,
    value: await devnet.usdcBalance(poor!.address),
  })
  const outcomes = await settleAll(await paymentsOf([blocked!, poor!, ...rich]))
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: 'invalid_exact_evm_transaction_simulation_failed' },
    { status: 'rejected', reason: 'invalid_exact_evm_insufficient_balance' },
    ...rich.map(() => ({ status: 'settled' })),
  ])
})

test('a payer with code is settled apart from the group', async () => {
  const [delegated, ...keys] = payers(0, 6)
  const wallet = await devnet.deploySmartWallet(delegated!.address)
  await devnet.setCode(delegated!.address, `0xef0100${wallet.slice(2)}`)
  const outcomes = await settleAll(await paymentsOf([delegated!, ...keys]))
  expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('settled'))
  const transactions = outcomes.map((one) => (one.status === 'settled' ? one.transaction : null))
  expect(transactions.filter((one) => one === transactions[0])).toHaveLength(1)
  expect(new Set(transactions.slice(1)).size).toBe(1)
})

/** Does something after the group was probed and signed, and before a node has it. */
async function betweenProbeAndBlock(
  payments: readonly SignedPayment[],
  act: () => Promise<unknown>,
): ReturnType<typeof settleAll> {
  const broadcasts = () =>
    node.calls.filter(({ method }) => method === 'eth_sendRawTransaction').length
  const before = broadcasts()
  node.setRule(({ method }) =>
    method === 'eth_sendRawTransaction' ? { kind: 'refuse' } : undefined,
  )
  const settling = settleAll(payments)
  await expect.poll(broadcasts).toBeGreaterThan(before)
  await act()
  node.setRule()
  return await settling
}

test('payers that empty, cancel, pay it themselves or are blocked meanwhile cost the others nothing', async () => {
  const [emptied, canceled, executed, blocked, ...honest] = payers(0, 10)
  const to = devnet.treasury.address
  const ahead = await signAuthorization({ signer: executed!, to, value: price })
  const [first, second, fourth] = await paymentsOf([emptied!, canceled!, blocked!])
  const third = await paymentOf(executed!, { nonce: ahead.message.nonce })
  const payments = [first!, second!, third, fourth!, ...(await paymentsOf(honest))]
  const outcomes = await betweenProbeAndBlock(payments, async () => {
    await transferFrom(devnet, emptied!.address, {
      to,
      value: await devnet.usdcBalance(emptied!.address),
    })
    await devnet.blacklist(blocked!.address)
    await cancelNonce(devnet, canceled!, second!.authorization.nonce)
    const { validBefore } = third.authorization
    await executeAuthorization(
      devnet,
      await signAuthorization({
        signer: executed!,
        to,
        value: price,
        nonce: ahead.message.nonce,
        validBefore,
      }),
    )
  })
  expect(outcomes).toMatchObject([
    { status: 'unknown', reason: 'invalid_exact_evm_insufficient_balance', reverted: true },
    { status: 'unknown', reason: 'invalid_exact_evm_nonce_already_used', reverted: true },
    { status: 'unknown', reason: 'invalid_exact_evm_nonce_already_used', reverted: true },
    {
      status: 'unknown',
      reason: 'invalid_exact_evm_transaction_simulation_failed',
      reverted: true,
    },
    ...honest.map(() => ({ status: 'settled' })),
  ])
  expect(await receiptsOf(outcomes)).toHaveLength(1)

  const chain = createChainReader({ rpcUrl: devnet.rpcUrl })
  const uses = await Promise.all(
    [second!, third].map(({ authorization: { asset, from, nonce } }, index) => {
      const outcome = outcomes[index + 1]
      const hint = outcome?.status === 'unknown' ? outcome.transaction : null
      return chain.authorizationUse({ asset, from, nonce, fromBlock: 1, hint })
    }),
  )
  expect(uses).toMatchObject([{ status: 'canceled' }, { status: 'transferred', value: price }])
})

test('a payer that takes on code that burns the gas of its group delays the others by a transaction', async () => {
  const [before, burner, ...after] = payers(0, 20)
  const payments = await paymentsOf([before!, burner!, ...after])
  const outcomes = await betweenProbeAndBlock(payments, () =>
    delegateTo(devnet, burner!.address, burningWallet(13_000_000)),
  )
  expect(outcomes[1]).toMatchObject({ status: 'unknown', reverted: true })
  const others = outcomes.filter((_, index) => index !== 1)
  expect(others.map(({ status }) => status)).toEqual(Array(19).fill('settled'))
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(price * 19n)
})

test('after a group lost its gas the next ones are smaller', async () => {
  const { facilitator } = open()
  const burner = payers(0, 1)[0]!
  const rule = ({ method }: { readonly method: string }) =>
    method === 'eth_sendRawTransaction' ? ({ kind: 'refuse' } as const) : undefined
  node.setRule(rule)
  const sent = node.calls.length
  const settling = settleAll(await paymentsOf(payers(0, 20)), facilitator)
  await expect
    .poll(() => node.calls.slice(sent).some(({ method }) => method === 'eth_sendRawTransaction'))
    .toBe(true)
  await delegateTo(devnet, burner.address, burningWallet(13_000_000))
  node.setRule()
  await settling
  const outcomes = await settleAll(await paymentsOf(payers(1, 50)), facilitator)
  const receipts = await receiptsOf(outcomes)
  expect(receipts.length).toBeGreaterThanOrEqual(4)
  expect(outcomes.filter(({ status }) => status === 'settled')).toHaveLength(49)
})

test('two payments of a wallet that holds one are judged one by one', async () => {
  const [payer, ...others] = payers(0, 3)
  const held = await devnet.usdcBalance(payer!.address)
  await transferFrom(devnet, payer!.address, {
    to: devnet.treasury.address,
    value: held - price,
  })
  const payments = await paymentsOf([payer!, payer!, ...others])
  const statuses = (await settleAll(payments)).map(({ status }) => status)
  expect(statuses).toEqual(['settled', 'rejected', 'settled', 'settled'])
})
