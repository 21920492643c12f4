import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { startFaultyFacilitator, startRpcFaults } from '@farebox/devnet/faults'
import {
  type ChainReader,
  createChainReader,
  createFacilitatorRefundSender,
  createRefundSender,
  createRefundSigner,
  createRemoteFacilitator,
  createTransactionQueue,
  type RefundSender,
  type SignedRefund,
  type TransactionQueue,
  type TreasurySigner,
} from '@farebox/payments/chain'
import { type Hex, toHex, verifyTypedData } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  authorizationTypes,
  cancelTypes,
  network,
  nowSeconds,
  tokenDomain,
  usdc,
} from '../support/pay.ts'

let devnet: Devnet
let chain: ChainReader
let queue: TransactionQueue
let sender: RefundSender
let signer: TreasurySigner
let snapshot: string
const ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  devnet = await startDevnet()
  const { rpcUrl, treasury } = devnet
  chain = createChainReader({ rpcUrl })
  signer = createRefundSigner({ key: treasury.privateKey, network })
  await devnet.mint(treasury.address, 1_000_000_000n)
})
afterAll(() => devnet.stop())
beforeEach(async () => {
  snapshot = await devnet.snapshot()
  const { rpcUrl, relayer } = devnet
  queue = createTransactionQueue({ rpcUrl, network, key: relayer.privateKey })
  sender = createRefundSender({ rpcUrl, network, queue })
})
afterEach(async () => {
  queue.close()
  for (const end of ends.splice(0)) await end()
  await devnet.revert(snapshot)
})

async function refund(index: number, to: Hex, value = 1_000n): Promise<SignedRefund> {
  const unsigned = {
    nonce: toHex(index + 1, { size: 32 }),
    asset: network.usdc,
    from: signer.treasury,
    to,
    value: usdc(value),
    validAfter: 0,
    validBefore: nowSeconds() + 3_600,
  }
  return { ...unsigned, signature: await signer.sign(unsigned) }
}

/** An address that holds nothing yet: the payee that costs the most gas. */
function stranger(index: number): Hex {
  return toHex(0xaa_0000_0000 + index, { size: 20 })
}

async function refunds(count: number, first = 0): Promise<[SignedRefund, ...SignedRefund[]]> {
  const [head, ...rest] = await Promise.all(
    Array.from({ length: count }, (_, index) => refund(first + index, stranger(first + index))),
  )
  if (head === undefined) throw new Error('no refunds')
  return [head, ...rest]
}

async function send(batch: readonly [SignedRefund, ...SignedRefund[]]) {
  const outcome = await sender.send(batch)
  if (outcome.status !== 'sent') throw new Error(`not sent: ${outcome.status}`)
  const receipt = await queue.receiptOf(outcome.transaction, 10_000)
  if (receipt === undefined) throw new Error('not mined')
  return receipt
}

async function statuses(batch: readonly SignedRefund[]): Promise<readonly string[]> {
  const uses = batch.map(({ asset, from, nonce }) =>
    chain.authorizationUse({ asset, from, nonce, fromBlock: 1 }),
  )
  return (await Promise.all(uses)).map((use) => use.status)
}

describe('the treasury’s signer', () => {
  test('signs what the token accepts', async () => {
    const signed = await refund(0, stranger(0))
    const { from, to, value, nonce, validAfter, validBefore, signature } = signed
    const message = {
      from,
      to,
      value,
      nonce,
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    }
    const genuine = await verifyTypedData({
      address: devnet.treasury.address,
      domain: tokenDomain,
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
      signature,
    })
    expect(genuine).toBe(true)
    const canceled = await verifyTypedData({
      address: devnet.treasury.address,
      domain: tokenDomain,
      types: cancelTypes,
      primaryType: 'CancelAuthorization',
      message: { authorizer: from, nonce },
      signature: await signer.signCancel(nonce),
    })
    expect(canceled).toBe(true)
  })

  test('signs nothing for another token or from another account', async () => {
    const ours = await refund(0, stranger(0))
    await expect(signer.sign({ ...ours, asset: stranger(1) })).rejects.toMatchObject({
      code: 'not_ours',
    })
    await expect(signer.sign({ ...ours, from: stranger(1) })).rejects.toMatchObject({
      code: 'not_ours',
    })
  })

  test('has no method for anything else, and rejects an invalid key', () => {
    expect(Object.keys(signer).sort()).toEqual(['sign', 'signCancel', 'treasury'])
    expect(signer.treasury).toBe(privateKeyToAddress(devnet.treasury.privateKey).toLowerCase())
    expect(() => createRefundSigner({ key: '0x1234', network })).toThrow(
      expect.objectContaining({ code: 'invalid_key' }),
    )
    expect(() => createRefundSigner({ key: `0x${'00'.repeat(32)}`, network })).toThrow(
      expect.objectContaining({ code: 'invalid_key' }),
    )
  })
})

describe('sending', () => {
  test('a refund arrives once, even when it is sent twice', async () => {
    const one = await refund(0, payerAccount(0).address)
    expect(await sender.probe(one)).toBeNull()
    await send([one])
    expect(await statuses([one])).toEqual(['transferred'])
    expect(await sender.send([one])).toEqual({
      status: 'unknown',
      reason: 'reverts',
      transaction: null,
    })
    expect(await devnet.usdcBalance(payerAccount(0).address)).toBe(1_000_001_000n)
  })

  test('a hundred refunds to empty accounts arrive in one transaction, within its gas limit', async () => {
    const batch = await refunds(100)
    const receipt = await send(batch)
    expect(receipt.gasUsed).toBeLessThan(16_777_216n)
    expect(await statuses(batch)).toEqual(Array(100).fill('transferred'))
  })

  test('one blacklisted payee among fifty does not affect the other forty-nine', async () => {
    const batch = await refunds(50)
    await devnet.blacklist(stranger(17))
    expect((await send(batch)).status).toBe('success')
    const found = await statuses(batch)
    expect(found.filter((status) => status === 'transferred')).toHaveLength(49)
    expect(found[17]).toBe('unused')
  })

  test('five refunds that were sent before and five new ones pay exactly the five new ones', async () => {
    const old = await refunds(5)
    await send(old)
    const before = await devnet.usdcBalance(devnet.treasury.address)
    await send([...old, ...(await refunds(5, 5))])
    expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(before - 5_000n)
  })

  test('reports that nothing could be sent, and why', async () => {
    const one = await refund(0, stranger(0))
    await devnet.setEthBalance(devnet.relayer.address, 0n)
    expect(await sender.send([one])).toEqual({ status: 'unavailable', reason: 'no_gas' })
    const down = await startRpcFaults({ target: devnet.rpcUrl, rule: () => ({ kind: 'refuse' }) })
    ends.push(down.stop)
    const lost = createTransactionQueue({
      rpcUrl: down.url,
      network,
      key: devnet.relayer.privateKey,
    })
    const cut = createRefundSender({ rpcUrl: down.url, network, queue: lost })
    expect(await cut.send([one])).toEqual({ status: 'unavailable', reason: 'rpc_down' })
    await expect(cut.probe(one)).rejects.toMatchObject({ code: 'chain_unavailable' })
    lost.close()
  })
})

describe('the obstacle to a refund', () => {
  const cases: readonly (readonly [string, () => Promise<void>, object])[] = [
    [
      'a blacklisted payee',
      () => devnet.blacklist(stranger(0)),
      { scope: 'payee', reason: 'blacklisted_payee' },
    ],
    ['a paused token', () => devnet.pause(), { scope: 'system', reason: 'token_paused' }],
    [
      'a blacklisted treasury',
      () => devnet.blacklist(devnet.treasury.address),
      { scope: 'system', reason: 'treasury_blacklisted' },
    ],
    [
      'a treasury with code',
      () => devnet.setCode(devnet.treasury.address, `0xef0100${devnet.usdc.slice(2)}`),
      { scope: 'system', reason: 'treasury_delegated' },
    ],
    ['an empty treasury', () => emptyTreasury(), { scope: 'system', reason: 'treasury_empty' }],
    [
      'a used nonce',
      async () => {
        await send([await refund(0, stranger(0))])
      },
      { scope: 'payee', reason: 'reverts' },
    ],
  ]
  test.each(cases)('%s', async (_, block, obstacle) => {
    await block()
    expect(await sender.probe(await refund(0, stranger(0)))).toEqual(obstacle)
  })

  async function emptyTreasury(): Promise<void> {
    await send([await refund(999, stranger(999), 999_999_500n)])
  }
})

test('without a relayer, refunds are sent through a facilitator’s settlement', async () => {
  const { rpcUrl, relayer } = devnet
  const server = await startFaultyFacilitator({ rpcUrl, relayerKey: relayer.privateKey })
  ends.push(server.stop)
  const facilitator = createRemoteFacilitator({ url: server.url, chain })
  const through = createFacilitatorRefundSender({ rpcUrl, network, facilitator })
  const [first, ...others] = await refunds(3)
  expect(await through.probe(first)).toBeNull()
  expect(await through.send([first])).toMatchObject({ status: 'sent' })
  expect(await through.send([first])).toMatchObject({ status: 'unknown' })
  const [second, third] = others
  if (second === undefined || third === undefined) throw new Error('no refunds')
  expect(await through.send([second, third])).toEqual({
    status: 'unknown',
    reason: 'sent_one_by_one',
    transaction: null,
  })
  expect(await statuses([first, second, third])).toEqual(Array(3).fill('transferred'))
  await devnet.blacklist(stranger(9))
  const blocked = await refund(9, stranger(9))
  expect(await through.probe(blocked)).toEqual({ scope: 'payee', reason: 'blacklisted_payee' })
  expect(await through.send([blocked])).toMatchObject({ status: 'unknown', transaction: null })
})
