import type { RequestListener } from 'node:http'
import { type Devnet, type DevnetAccount, payerAccount, startDevnet } from '@farebox/devnet'
import {
  claimedFailure,
  claimedSuccess,
  type FacilitatorFault,
  startFaultyFacilitator,
  startRpcFaults,
} from '@farebox/devnet/faults'
import {
  type ChainReader,
  createChainReader,
  createInProcessFacilitator,
  createRemoteFacilitator,
  createTransactionQueue,
  type Facilitator,
  type SettleOutcome,
} from '@farebox/payments/chain'
import type { SignedPayment } from '@farebox/payments/wire'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contextFor, network, nowSeconds, paymentFor, type Signing } from '../support/pay.ts'
import { startRecordingServer } from '../support/recording-server.ts'

const price = 2_000n
const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/)
let devnet: Devnet
let chain: ChainReader
let snapshot: string
const ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  devnet = await startDevnet()
  chain = createChainReader({ rpcUrl: devnet.rpcUrl })
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

async function signed(change: Partial<Signing> = {}): Promise<SignedPayment> {
  const to = devnet.treasury.address
  return await paymentFor(
    { signer: payerAccount(0), to, value: price, ...change },
    contextFor(to, price),
  )
}

function pauper(): DevnetAccount {
  const privateKey = generatePrivateKey()
  return { privateKey, address: privateKeyToAddress(privateKey) }
}

const chainSeconds = async () => (await chain.head()).timestamp

const settle = (facilitator: Facilitator, payment: SignedPayment, ms = 60_000) =>
  facilitator.settle(payment, AbortSignal.timeout(ms))

const paid = () => devnet.usdcBalance(devnet.treasury.address)

describe('the in-process facilitator', () => {
  function inProcess(
    rpcUrl = devnet.rpcUrl,
    confirmationTimeoutMs = 60_000,
    clock = Date.now,
  ): Facilitator {
    const queue = createTransactionQueue({ rpcUrl, network, key: devnet.relayer.privateKey })
    ends.push(() => queue.close())
    return createInProcessFacilitator({ rpcUrl, network, queue, confirmationTimeoutMs, clock })
  }

  const ahead = () => Date.now() + 400_000

  test('settles what has expired by the clock here and not by that of the chain', async () => {
    const outcome = await settle(inProcess(devnet.rpcUrl, 60_000, ahead), await signed())
    expect(outcome).toEqual({ status: 'settled', transaction: hash })
  })

  test('reports unknown when the clock of the chain cannot be read', async () => {
    const outcome = await settle(inProcess('http://127.0.0.1:9', 60_000, ahead), await signed())
    expect(outcome).toEqual({ status: 'unknown', reason: 'facilitator_fault', transaction: null })
  })

  test('settles a payment once, however often it is called at the same time', async () => {
    const facilitator = inProcess()
    const payment = await signed()
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => settle(facilitator, payment)))
    expect(outcomes[0]).toEqual({ status: 'settled', transaction: hash })
    expect(await paid()).toBe(price)
    const count = await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest'])
    expect(count).toBe('0x1')
  })

  test('reports unknown for a payment that was settled before: the logs decide', async () => {
    const facilitator = inProcess()
    const payment = await signed()
    await settle(facilitator, payment)
    expect(await settle(facilitator, payment)).toEqual({
      status: 'unknown',
      reason: 'invalid_exact_evm_nonce_already_used',
      transaction: null,
    })
  })

  const rejections: readonly (readonly [string, () => Promise<SignedPayment>, string])[] = [
    [
      'a payer without money',
      () => signed({ signer: pauper() }),
      'invalid_exact_evm_insufficient_balance',
    ],
    [
      'a foreign signature',
      () => signed({ signer: pauper(), from: payerAccount(0).address }),
      'invalid_exact_evm_signature',
    ],
    [
      'an authorization that is about to expire',
      async () => {
        await devnet.mine(1)
        return await signed({ validBefore: (await chainSeconds()) + 3 })
      },
      'invalid_exact_evm_payload_authorization_valid_before',
    ],
    [
      'an authorization that is not valid yet',
      () => signed({ validAfter: nowSeconds() + 100 }),
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
  ]
  test.each(rejections)('rejects %s and sends nothing', async (_, payment, reason) => {
    expect(await settle(inProcess(), await payment())).toEqual({ status: 'rejected', reason })
    const count = await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'pending'])
    expect(count).toBe('0x0')
  })

  test('rejects a blacklisted payer before any gas is spent', async () => {
    await devnet.blacklist(payerAccount(0).address)
    const outcome = await settle(inProcess(), await signed())
    expect(outcome).toEqual({
      status: 'rejected',
      reason: 'invalid_exact_evm_transaction_simulation_failed',
    })
  })

  test('reports unknown, with the transaction, when it is not mined in time', async () => {
    const facilitator = inProcess(devnet.rpcUrl, 150)
    const payment = await signed()
    await devnet.setAutomine('off')
    const outcome = await settle(facilitator, payment)
    expect(outcome).toEqual({ status: 'unknown', reason: 'settlement_pending', transaction: hash })
    const again = settle(facilitator, payment)
    await devnet.setAutomine('on')
    await devnet.mine(1)
    expect(['settled', 'unknown']).toContain((await again).status)
    await expect.poll(paid).toBe(price)
  })

  test('stops waiting at the deadline, which does not stop the settlement', async () => {
    const facilitator = inProcess()
    await devnet.setAutomine('off')
    const deadline = new AbortController()
    const settling = facilitator.settle(await signed(), deadline.signal)
    const pending = () => devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'pending'])
    await expect.poll(pending).toBe('0x1')
    deadline.abort()
    const outcome = await settling
    expect(outcome).toEqual({ status: 'unknown', reason: 'deadline', transaction: hash })
    await devnet.mine(1)
    await expect.poll(paid).toBe(price)
    const aborted = await facilitator.settle(await signed(), AbortSignal.abort())
    expect(aborted).toEqual({ status: 'unknown', reason: 'deadline', transaction: null })
  })

  test('settles when the response to the broadcast is lost', async () => {
    const faults = await startRpcFaults({
      target: devnet.rpcUrl,
      rule: ({ method }) =>
        method === 'eth_sendRawTransaction' ? { kind: 'lose-answer' } : undefined,
    })
    ends.push(faults.stop)
    expect(await settle(inProcess(faults.url), await signed())).toEqual({
      status: 'settled',
      transaction: hash,
    })
  })

  test.each(['eth_call', 'eth_getBlockByNumber', 'eth_getTransactionCount'])(
    'reports unknown, and never a rejection, when the node fails at %s',
    async (failing) => {
      const faults = await startRpcFaults({
        target: devnet.rpcUrl,
        rule: ({ method }) => (method === failing ? { kind: 'refuse' } : undefined),
      })
      ends.push(faults.stop)
      expect(await settle(inProcess(faults.url), await signed())).toEqual({
        status: 'unknown',
        reason: 'rpc_down',
        transaction: null,
      })
    },
  )

  test('reports unknown when the relayer has no gas', async () => {
    await devnet.setEthBalance(devnet.relayer.address, 0n)
    expect(await settle(inProcess(), await signed())).toEqual({
      status: 'unknown',
      reason: 'no_gas',
      transaction: null,
    })
  })
})

describe('a remote facilitator', () => {
  /** One that fails by its slowness gets little time. */
  const timeoutOf = (fault?: FacilitatorFault) =>
    fault?.kind === 'hang' || fault?.kind === 'slow' ? 1_000 : 60_000

  async function remote(fault?: FacilitatorFault): Promise<Facilitator> {
    const { rpcUrl, relayer } = devnet
    const server = await startFaultyFacilitator({
      rpcUrl,
      relayerKey: relayer.privateKey,
      rule: () => fault,
    })
    ends.push(server.stop)
    return createRemoteFacilitator({ url: server.url, chain, timeoutMs: timeoutOf(fault) })
  }

  test('settles', async () => {
    const outcome = await settle(await remote(), await signed())
    expect(outcome).toEqual({ status: 'settled', transaction: hash })
    expect(await paid()).toBe(price)
  })

  test('rejects a payment when the chain confirms the reason', async () => {
    expect(await settle(await remote(), await signed({ signer: pauper() }))).toEqual({
      status: 'rejected',
      reason: 'invalid_exact_evm_insufficient_balance',
    })
    const late = await signed({ validBefore: nowSeconds() + 3 })
    expect(await settle(await remote(), late)).toEqual({
      status: 'rejected',
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    })
  })

  const unknown = (reason: string, transaction: unknown = null): object => ({
    status: 'unknown',
    reason,
    transaction,
  })
  const faults: readonly (readonly [string, FacilitatorFault, object])[] = [
    ['hangs before settling', { kind: 'hang', moment: 'instead' }, unknown('facilitator_timeout')],
    ['hangs after settling', { kind: 'hang', moment: 'after' }, unknown('facilitator_timeout')],
    [
      'disconnects after settling',
      { kind: 'disconnect', moment: 'after' },
      unknown('facilitator_unreachable'),
    ],
    [
      'returns a 500 after settling',
      { kind: 'status', status: 500, moment: 'after' },
      unknown('facilitator_http_500'),
    ],
    [
      'returns a 429',
      { kind: 'status', status: 429, moment: 'instead' },
      unknown('facilitator_http_429'),
    ],
    [
      'returns a 400 without a reason',
      { kind: 'status', status: 400, moment: 'instead' },
      unknown('facilitator_http_400'),
    ],
    [
      'rejects the key',
      { kind: 'status', status: 401, moment: 'instead' },
      unknown('facilitator_http_401'),
    ],
    [
      'returns garbage after settling',
      { kind: 'garbage', moment: 'after' },
      unknown('facilitator_garbage'),
    ],
    ['is slower than the timeout', { kind: 'slow', ms: 1_300 }, unknown('facilitator_timeout')],
    ['reports pending', { kind: 'pending' }, unknown('settlement_pending', hash)],
    ['denies a transfer that it sent', claimedFailure, unknown('transaction_failed')],
    [
      'claims that a rich payer is poor',
      rejecting('invalid_exact_evm_insufficient_balance'),
      unknown('invalid_exact_evm_insufficient_balance'),
    ],
    [
      'claims that a good signature is bad',
      rejecting('invalid_exact_evm_signature'),
      unknown('invalid_exact_evm_signature'),
    ],
    ['repeats a credential', rejecting('unexpected_settle_error SECRET'), unknown('other')],
    [
      'rejects and names a transaction',
      rejecting('invalid_exact_evm_signature', `0x${'0a'.repeat(32)}`),
      unknown('invalid_exact_evm_signature', hash),
    ],
    [
      'settles on another network',
      lying({ success: true, network: 'eip155:1', transaction: `0x${'0b'.repeat(32)}` }),
      unknown('facilitator_garbage', hash),
    ],
    [
      'settles without a transaction',
      lying({ success: true, network: 'eip155:84532', transaction: '' }),
      unknown('facilitator_garbage'),
    ],
  ]
  test.each(faults)('reports unknown when it %s', async (_, fault, outcome) => {
    expect(await settle(await remote(fault), await signed())).toEqual(outcome)
    // A settlement that outlasts its caller would take the nonce of the next one.
    await expect.poll(paid).toBe(settles(fault) ? price : 0n)
  })

  const settles = (fault: FacilitatorFault): boolean =>
    fault.kind === 'slow' ||
    fault.kind === 'pending' ||
    ('moment' in fault && fault.moment === 'after')

  test('that claims success is only trusted for a hint', async () => {
    const payment = await signed()
    const { from, asset, nonce } = payment.authorization
    const outcome = await settle(await remote(claimedSuccess), payment)
    expect(outcome).toEqual({ status: 'settled', transaction: hash })
    const hint = outcome.status === 'settled' ? outcome.transaction : null
    const use = await chain.authorizationUse({ asset, from, nonce, fromBlock: 0, hint })
    expect(use.status).toBe('unused')
  })

  test('is not followed through redirects, nor read without limit', async () => {
    const followed = await serve((_, response) => response.end('{"success":true}'))
    const redirecting = await serve((_, response) =>
      response.writeHead(307, { location: followed.url }).end(),
    )
    expect(await ask(redirecting.url)).toEqual(unknown('facilitator_unreachable'))
    expect(followed.requests).toEqual([])
    const endless = await serve((_, response) => response.end(`{"a":"${'x'.repeat(70_000)}"}`))
    expect(await ask(endless.url)).toEqual(unknown('facilitator_garbage'))
    expect(await ask('http://127.0.0.1:1')).toEqual(unknown('facilitator_unreachable'))
  })

  test('is reported by its status when it answers a wrong path with a page', async () => {
    const { url } = await serve((_, response) => response.writeHead(404).end('<html></html>'))
    expect(await ask(url)).toEqual(unknown('facilitator_http_404'))
  })

  async function ask(url: string): Promise<SettleOutcome> {
    return await settle(createRemoteFacilitator({ url, chain }), await signed())
  }

  test('receives only the known fields of the payment', async () => {
    const { url, requests } = await serve((_, response) => response.end('{}'))
    await ask(`${url}/base/`)
    const [request] = requests
    expect(request?.url).toBe('/base/settle')
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: { amount: '2000' } },
      paymentRequirements: { amount: '2000', scheme: 'exact', network: 'eip155:84532' },
    })
  })

  test.each([
    ['seller:p%40ss', 'seller:p@ss'],
    ['seller:100%', 'seller:100%'],
  ])('is called with the query and the password of its URL: %s', async (user, sent) => {
    const { url, requests } = await serve((_, response) => response.end('{}'))
    await ask(`${url.replace('//', `//${user}@`)}/base/?key=k1`)
    const authorization = `Basic ${Buffer.from(sent).toString('base64')}`
    expect(requests).toMatchObject([{ url: '/base/settle?key=k1', authorization }])
  })
})

function rejecting(errorReason: string, transaction = ''): FacilitatorFault {
  return lying({ success: false, errorReason, transaction })
}

function lying(answer: Readonly<Record<string, unknown>>): FacilitatorFault {
  return { kind: 'lie', moment: 'instead', answer }
}

async function serve(listener: RequestListener) {
  const server = await startRecordingServer(listener)
  ends.push(server.close)
  return server
}
