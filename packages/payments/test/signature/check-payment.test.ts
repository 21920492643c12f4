import {
  createWalletCall,
  type Devnet,
  payerAccount,
  smartWalletFactoryAddress,
  startDevnet,
} from '@farebox/devnet'
import {
  createChainReader,
  createInProcessFacilitator,
  createTransactionQueue,
} from '@farebox/payments/chain'
import {
  type CheckPayment,
  createPaymentCheck,
  type SignedPayment,
  signatureBackend,
} from '@farebox/payments/wire'
import {
  concat,
  encodeAbiParameters,
  type Hex,
  hexToBigInt,
  numberToHex,
  parseAbiParameters,
  slice,
} from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSignerRecovery } from '../../src/signature/recover-signer.ts'
import { contextFor, network, nowSeconds, paymentFor, type Signing, usdc } from '../support/pay.ts'

const price = 700n
let devnet: Devnet
let snapshot: string
let check: CheckPayment

beforeAll(async () => {
  devnet = await startDevnet()
  check = checkWith({})
})
afterAll(() => devnet.stop())
beforeEach(async () => {
  snapshot = await devnet.snapshot()
})
afterEach(() => devnet.revert(snapshot))

function checkWith(options: Partial<Parameters<typeof createPaymentCheck>[0]>): CheckPayment {
  return createPaymentCheck({
    network,
    payTo: devnet.treasury.address,
    ownAccounts: [devnet.relayer.address],
    chain: createChainReader({ rpcUrl: devnet.rpcUrl }),
    ...options,
  })
}

async function signed(change: Partial<Signing> = {}): Promise<SignedPayment> {
  const to = devnet.treasury.address
  const signing = { signer: payerAccount(0), to, value: price, ...change }
  return await paymentFor(signing, contextFor(to, price))
}

const judge = (payment: SignedPayment, run = check) =>
  run({ payment, amount: usdc(price), now: nowSeconds() })

function withSignature(payment: SignedPayment, signature: Hex): SignedPayment {
  return { ...payment, signature }
}

test('the native addon is available on the machines of CI', () => {
  expect(signatureBackend()).toBe('native')
})

describe.each(['native', 'javascript'] as const)('a signature recovered by %s code', (backend) => {
  const run = (payment: SignedPayment) =>
    judge(payment, checkWith({ recoverSigner: createSignerRecovery(backend) }))

  test('is accepted and normalized, however it was written', async () => {
    const payment = await signed()
    const { signature } = payment
    const v = Number.parseInt(signature.slice(-2), 16) - 27
    const bare = slice(signature, 0, 64)
    const flipped = concat([
      slice(signature, 0, 32),
      numberToHex(order - hexToBigInt(slice(signature, 32, 64)), { size: 32 }),
    ])
    const forms = [
      signature,
      concat([bare, numberToHex(v, { size: 1 })]),
      concat([flipped, numberToHex(27 + (1 - v), { size: 1 })]),
      concat([flipped, numberToHex(1 - v, { size: 1 })]),
    ]
    for (const form of forms) {
      const checked = await run(withSignature(payment, form))
      expect(checked).toEqual({ status: 'valid', payment })
    }
  })

  test('is rejected when it is by another key, by no key, or over another message', async () => {
    const payment = await signed()
    const other = await signed({ signer: payerAccount(1), from: payerAccount(0).address })
    const rejected = { status: 'invalid', reason: 'invalid_exact_evm_signature' }
    expect(await run(other)).toEqual(rejected)
    expect(await run(withSignature(payment, `0x${'00'.repeat(65)}`))).toEqual(rejected)
    expect(await run(withSignature(payment, `0x${'ff'.repeat(64)}1b`))).toEqual(rejected)
    expect(await run(withSignature(payment, slice(payment.signature, 0, 64)))).toEqual(rejected)
    const { authorization } = payment
    expect(await run({ ...payment, authorization: { ...authorization, validAfter: 1 } })).toEqual(
      rejected,
    )
  })
})

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe('the fields are checked before the signature', () => {
  const now = nowSeconds()
  const cases: readonly (readonly [string, (payment: SignedPayment) => object, string])[] = [
    ['another chain', () => ({ chainId: 8453 }), 'invalid_exact_evm_network_mismatch'],
    [
      'another token',
      () => ({ asset: devnet.treasury.address }),
      'invalid_exact_evm_asset_mismatch',
    ],
    [
      'one unit too little',
      () => ({ value: price - 1n }),
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
    [
      'one unit too much',
      () => ({ value: price + 1n }),
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
    [
      'another payee',
      () => ({ to: payerAccount(3).address.toLowerCase() }),
      'invalid_exact_evm_recipient_mismatch',
    ],
    [
      'the treasury as payer',
      () => ({ from: devnet.treasury.address.toLowerCase() }),
      'invalid_exact_evm_payer',
    ],
    [
      'the relayer as payer',
      () => ({ from: devnet.relayer.address.toLowerCase() }),
      'invalid_exact_evm_payer',
    ],
    ['nobody as payer', () => ({ from: `0x${'0'.repeat(40)}` }), 'invalid_exact_evm_payer'],
    [
      'not yet valid',
      () => ({ validAfter: now + 60 }),
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
    ['over', () => ({ validBefore: now }), 'invalid_exact_evm_payload_authorization_valid_before'],
    [
      'over in five seconds',
      () => ({ validBefore: now + 5 }),
      'invalid_exact_evm_payload_authorization_valid_before',
    ],
    [
      'valid for longer than a day',
      () => ({ validBefore: now + 86_500 }),
      'invalid_exact_evm_payload_authorization_valid_before',
    ],
  ]
  test.each(cases)('%s', async (_, change, reason) => {
    const payment = await signed()
    const authorization = { ...payment.authorization, ...change(payment) }
    const checked = await check({
      payment: { ...payment, authorization },
      amount: usdc(price),
      now,
    })
    expect(checked).toEqual({ status: 'invalid', reason })
  })
})

describe('a contract wallet', () => {
  async function settle(payment: SignedPayment, factories: readonly Hex[] = []) {
    const { rpcUrl, relayer } = devnet
    const queue = createTransactionQueue({ rpcUrl, network, key: relayer.privateKey })
    const facilitator = createInProcessFacilitator({
      rpcUrl,
      network,
      queue,
      walletFactories: factories,
    })
    const outcome = await facilitator.settle(payment, AbortSignal.timeout(10_000))
    queue.close()
    return outcome
  }

  async function wallet(owner: number): Promise<Hex> {
    const address = await devnet.deploySmartWallet(payerAccount(owner).address)
    await devnet.mint(address, 10_000n)
    return address
  }

  test('pays with its owner’s signature (ERC-1271)', async () => {
    const from = await wallet(4)
    const payment = await signed({ signer: payerAccount(4), from })
    const checked = await judge(payment)
    expect(checked).toEqual({ status: 'valid', payment })
    expect((await settle(payment)).status).toBe('settled')
    expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(price)
  })

  test('rejects a stranger’s signature', async () => {
    const from = await wallet(4)
    const payment = await signed({ signer: payerAccount(5), from })
    expect(await judge(payment)).toEqual({
      status: 'invalid',
      reason: 'invalid_exact_evm_signature',
    })
  })

  async function wrapped(owner: number) {
    const signer = payerAccount(owner)
    const from = await devnet.smartWalletOf(signer.address)
    const payment = await signed({ signer, from })
    const content = encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [
      smartWalletFactoryAddress,
      createWalletCall(signer.address),
      payment.signature,
    ])
    const signature = concat([content, `0x${'6492'.repeat(16)}`])
    const { payload } = payment.payload as { payload: object }
    return {
      from,
      plain: payment,
      payment: {
        ...payment,
        signature,
        payload: { ...payment.payload, payload: { ...payload, signature } },
      },
    }
  }

  test('that is not deployed yet is rejected unless its factory is allowed (ERC-6492)', async () => {
    const { payment, from } = await wrapped(6)
    expect(await judge(payment)).toEqual({
      status: 'invalid',
      reason: 'eip6492_factory_not_allowed',
    })
    const outcome = await settle(payment)
    expect(outcome).toEqual({ status: 'rejected', reason: 'eip6492_factory_not_allowed' })

    await devnet.mint(from, 10_000n)
    const walletFactories: readonly Hex[] = [smartWalletFactoryAddress]
    const checked = await judge(payment, checkWith({ walletFactories }))
    expect(checked).toEqual({ status: 'valid', payment })
    expect((await settle(payment, walletFactories)).status).toBe('settled')
  })

  test('that has been deployed since is checked by the signature inside the wrapper', async () => {
    const { payment, plain } = await wrapped(7)
    await devnet.deploySmartWallet(payerAccount(7).address)
    expect(await judge(payment)).toEqual({ status: 'valid', payment: plain })
  })

  test('with a malformed wrapper has an invalid signature', async () => {
    const payment = withSignature(await signed(), `0x00${'6492'.repeat(16)}`)
    expect(await judge(payment)).toEqual({
      status: 'invalid',
      reason: 'invalid_exact_evm_signature',
    })
  })

  test('delegated to by EIP-7702 pays if it accepts the signature; otherwise nothing is sent', async () => {
    const payer = payerAccount(8)
    const payment = await signed({ signer: payer })
    await devnet.setCode(payer.address, `0xef0100${devnet.usdc.slice(2)}`)
    const before = await devnet.rpc<Hex>('eth_getTransactionCount', [
      devnet.relayer.address,
      'latest',
    ])
    expect(await settle(payment)).toEqual({
      status: 'rejected',
      reason: 'invalid_exact_evm_signature',
    })
    expect(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest'])).toBe(
      before,
    )

    const delegate = await devnet.deploySmartWallet(payer.address)
    await devnet.setCode(payer.address, `0xef0100${delegate.slice(2)}`)
    expect((await judge(payment)).status).toBe('valid')
    expect((await settle(payment)).status).toBe('settled')
  })
})

test('when the node does not answer, the check of a contract wallet fails and never passes', async () => {
  const from = await devnet.deploySmartWallet(payerAccount(4).address)
  const payment = await signed({ signer: payerAccount(4), from })
  const silent = checkWith({ chain: createChainReader({ rpcUrl: 'http://127.0.0.1:1' }) })
  await expect(judge(payment, silent)).rejects.toMatchObject({ code: 'chain_unavailable' })
})
