import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { startFaultyFacilitator, startRpcFaults } from '@farebox/devnet/faults'
import {
  batchedRefundNonce,
  type ChainReader,
  createChainReader,
  createFacilitatorRefundSender,
  createRefundSender,
  createRefundSigner,
  createRemoteFacilitator,
  createTransactionQueue,
  type RefundSender,
  refundNonce,
  type SignedRefund,
  type TransactionQueue,
  type TreasurySigner,
} from '@farebox/payments'
import { concat, type Hex, keccak256, padHex, stringToHex, toHex, verifyTypedData } from 'viem'
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
  signer = createRefundSigner({ privateKey: treasury.privateKey, network })
  await devnet.mint(treasury.address, 1_000_000_000n)
})
afterAll(() => devnet.stop())
beforeEach(async () => {
  snapshot = await devnet.snapshot()
  const { rpcUrl, relayer } = devnet
  queue = createTransactionQueue({ rpcUrl, network, privateKey: relayer.privateKey })
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

/** An address that holds nothing yet: the dearest payee. */
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

describe('the nonce of a refund', () => {
  const authorization = {
    chainId: 84532,
    asset: network.usdc,
    from: padHex('0x0a', { size: 20 }),
    nonce: padHex('0x0b', { size: 32 }),
  } as const

  test('is the hash of the payment’s identity, word by word', () => {
    const words = [
      keccak256(stringToHex('farebox:refund:v1')),
      toHex(84532, { size: 32 }),
      padHex(network.usdc, { size: 32 }),
      padHex('0x0a', { size: 32 }),
      padHex('0x0b', { size: 32 }),
    ]
    expect(refundNonce(authorization)).toBe(keccak256(concat(words)))
  })

  test('never changes: another would pay old refunds again', () => {
    expect(refundNonce(authorization)).toBe(
      '0x3bde2517ba729fadf20c9a749c94f29145a96f67540138c745dfa6c174fcc80f',
    )
    const { chainId, asset, from: payer } = authorization
    expect(batchedRefundNonce({ chainId, asset, payer, sequence: 1 })).toBe(
      '0xaef0c2506e7641d39b1ee894c42c229dc48e5a40a644f48ccede5d27f4377bb7',
    )
  })

  test('of sums differs by sequence, and from that of any payment', () => {
    const { chainId, asset, from: payer } = authorization
    const sequences = [0, 1, 2, 11].map((sequence) =>
      batchedRefundNonce({ chainId, asset, payer, sequence }),
    )
    expect(new Set([...sequences, refundNonce(authorization)]).size).toBe(5)
  })
})

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

  test('signs nothing for another token or another holder', async () => {
    const ours = await refund(0, stranger(0))
    await expect(signer.sign({ ...ours, asset: stranger(1) })).rejects.toMatchObject({
      code: 'not_ours',
    })
    await expect(signer.sign({ ...ours, from: stranger(1) })).rejects.toMatchObject({
      code: 'not_ours',
    })
  })

  test('has no method for anything else, and takes no broken key', () => {
    expect(Object.keys(signer).sort()).toEqual(['sign', 'signCancel', 'treasury'])
    expect(signer.treasury).toBe(privateKeyToAddress(devnet.treasury.privateKey).toLowerCase())
    expect(() => createRefundSigner({ privateKey: '0x1234', network })).toThrow(
      expect.objectContaining({ code: 'invalid_key' }),
    )
    expect(() => createRefundSigner({ privateKey: `0x${'00'.repeat(32)}`, network })).toThrow(
      expect.objectContaining({ code: 'invalid_key' }),
    )
  })
})

describe('sending', () => {
  test('one refund arrives, and its second copy does not', async () => {
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

  test('a hundred to payees who hold nothing arrive in one transaction within its gas', async () => {
    const batch = await refunds(100)
    const receipt = await send(batch)
    expect(receipt.gasUsed).toBeLessThan(16_777_216n)
    expect(await statuses(batch)).toEqual(Array(100).fill('transferred'))
  })

  test('one blacklisted among fifty leaves the other forty-nine paid', async () => {
    const batch = await refunds(50)
    await devnet.blacklist(stranger(17))
    expect((await send(batch)).status).toBe('success')
    const found = await statuses(batch)
    expect(found.filter((status) => status === 'transferred')).toHaveLength(49)
    expect(found[17]).toBe('unused')
  })

  test('five that were sent before and five new pay exactly the five new', async () => {
    const old = await refunds(5)
    await send(old)
    const before = await devnet.usdcBalance(devnet.treasury.address)
    await send([...old, ...(await refunds(5, 5))])
    expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(before - 5_000n)
  })

  test('says when nothing could be sent, and why', async () => {
    const one = await refund(0, stranger(0))
    await devnet.setEthBalance(devnet.relayer.address, 0n)
    expect(await sender.send([one])).toEqual({ status: 'unavailable', reason: 'no_gas' })
    const down = await startRpcFaults({ target: devnet.rpcUrl, rule: () => ({ kind: 'refuse' }) })
    ends.push(down.stop)
    const lost = createTransactionQueue({
      rpcUrl: down.url,
      network,
      privateKey: devnet.relayer.privateKey,
    })
    const cut = createRefundSender({ rpcUrl: down.url, network, queue: lost })
    expect(await cut.send([one])).toEqual({ status: 'unavailable', reason: 'rpc_down' })
    await expect(cut.probe(one)).rejects.toMatchObject({ code: 'chain_unavailable' })
    lost.close()
  })
})

describe('what stands in a refund’s way', () => {
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
      'a nonce that is used',
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

test('where there is no relayer, refunds go through a facilitator’s settlement', async () => {
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
