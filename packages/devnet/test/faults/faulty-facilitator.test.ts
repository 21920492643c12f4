import { HTTPFacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { concatHex, encodeAbiParameters, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  claimedFailure,
  claimedSuccess,
  type FacilitatorFault,
  type FaultyFacilitator,
  startFaultyFacilitator,
} from '../../src/faults.ts'
import {
  createWalletCall,
  type Devnet,
  type DevnetAccount,
  smartWalletFactoryAddress,
  startDevnet,
} from '../../src/index.ts'
import { type Authorization, authorize, signAuthorization } from '../chain/authorization.ts'

let devnet: Devnet
let facilitator: FaultyFacilitator
let payer: DevnetAccount
let start: string

beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
  const [first] = devnet.payers
  if (first === undefined) throw new Error('a payer is needed')
  payer = first
  facilitator = await startFaultyFacilitator({
    rpcUrl: devnet.rpcUrl,
    relayerKey: devnet.relayer.privateKey,
    allowedFactories: [smartWalletFactoryAddress],
  })
})
beforeEach(async () => {
  start = await devnet.snapshot()
})
afterEach(async () => {
  facilitator.setRule()
  await devnet.revert(start)
})
afterAll(async () => {
  await facilitator.stop()
  await devnet.stop()
})

function client(timeoutMs = 10_000): HTTPFacilitatorClient {
  return new HTTPFacilitatorClient({ url: facilitator.url, timeoutMs })
}

function requirements(): PaymentRequirements {
  return {
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '5',
    asset: devnet.usdc,
    payTo: devnet.treasury.address,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
  }
}

async function payment(from = payer.address): Promise<PaymentPayload> {
  const it = authorize({ from, to: devnet.treasury.address, value: 5n })
  return payloadOf(it, await signAuthorization(payer.privateKey, it))
}

function payloadOf(it: Authorization, signature: Hex): PaymentPayload {
  const authorization = Object.fromEntries(
    Object.entries(it).map(([name, value]) => [name, String(value)]),
  )
  return { x402Version: 2, accepted: requirements(), payload: { signature, authorization } }
}

async function received(): Promise<bigint> {
  return await devnet.usdcBalance(devnet.treasury.address)
}

function onSettle(fault: FacilitatorFault): void {
  facilitator.setRule(({ endpoint }) => (endpoint === 'settle' ? fault : undefined))
}

test('without a rule it acts as a real facilitator', async () => {
  const paid = await payment()
  const { kinds } = await client().getSupported()
  expect(kinds).toContainEqual(
    expect.objectContaining({ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }),
  )
  expect(await client().verify(paid, requirements())).toMatchObject({ isValid: true })
  const settled = await client().settle(paid, requirements())
  expect(settled).toMatchObject({ success: true, payer: payer.address, network: 'eip155:84532' })
  expect(await received()).toBe(5n)
})

test('reports the same errors as on Base Sepolia', async () => {
  const used = await payment()
  await client().settle(used, requirements())
  expect(await client().verify(used, requirements())).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_evm_nonce_already_used',
  })
  const poor = await devnet.deploySmartWallet(payer.address)
  expect(await client().verify(await payment(poor), requirements())).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_evm_insufficient_balance',
  })
})

test('settles 10 payments concurrently', async () => {
  const payments = await Promise.all(Array.from({ length: 10 }, async () => await payment()))
  const results = await Promise.all(
    payments.map(async (paid) => await client().settle(paid, requirements())),
  )
  expect(results.every((result) => result.success)).toBe(true)
  expect(await received()).toBe(50n)
})

test('deploys a wallet that does not exist yet, through an allowed factory (ERC-6492)', async () => {
  const wallet = await devnet.smartWalletOf(payer.address)
  await devnet.mint(wallet, 5n)
  const it = authorize({ from: wallet, to: devnet.treasury.address, value: 5n })
  const wrapped = concatHex([
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [
        smartWalletFactoryAddress,
        createWalletCall(payer.address),
        await signAuthorization(payer.privateKey, it),
      ],
    ),
    `0x${'6492'.repeat(16)}`,
  ])
  const result = await client().settle(payloadOf(it, wrapped), requirements())
  expect(result).toMatchObject({ success: true, payer: wallet })
  expect(await received()).toBe(5n)
})

const broken: readonly [FacilitatorFault, RegExp][] = [
  [{ kind: 'status', status: 502, moment: 'instead' }, /502/],
  [{ kind: 'status', status: 500, moment: 'after' }, /500/],
  [{ kind: 'garbage', moment: 'instead' }, /invalid JSON/],
  [{ kind: 'garbage', moment: 'after' }, /invalid JSON/],
  [{ kind: 'disconnect', moment: 'instead' }, /fetch failed/],
  [{ kind: 'disconnect', moment: 'after' }, /fetch failed/],
]

test.each(broken)(
  '%o fails the call, and moves money only after the work',
  async (fault, message) => {
    onSettle(fault)
    await expect(client().settle(await payment(), requirements())).rejects.toThrow(message)
    expect(await received()).toBe('moment' in fault && fault.moment === 'after' ? 5n : 0n)
  },
)

// A request that has not arrived by the timeout would move nothing.
test.each<[FacilitatorFault, number, bigint]>([
  [{ kind: 'hang', moment: 'instead' }, 200, 0n],
  [{ kind: 'hang', moment: 'after' }, 2_000, 5n],
])('%o lasts longer than the timeout of %i ms', async (fault, timeoutMs, moved) => {
  onSettle(fault)
  const settling = client(timeoutMs).settle(await payment(), requirements())
  await expect(settling).rejects.toThrow(/timed out/i)
  await expect.poll(received).toBe(moved)
})

test('a slow settlement charges the payer after the caller has left', async () => {
  const caller = new AbortController()
  facilitator.setRule(() => {
    caller.abort()
    return { kind: 'slow', ms: 20 }
  })
  const body = { paymentPayload: await payment(), paymentRequirements: requirements() }
  const settling = fetch(`${facilitator.url}/settle`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: caller.signal,
  })
  await expect(settling).rejects.toThrow(/aborted/)
  await expect.poll(received).toBe(5n)
})

test('a late response is truthful', async () => {
  onSettle({ kind: 'late', ms: 5 })
  expect(await client().settle(await payment(), requirements())).toMatchObject({ success: true })
})

test('reports false success and false failure', async () => {
  onSettle(claimedSuccess)
  expect(await client().settle(await payment(), requirements())).toMatchObject({ success: true })
  expect(await received()).toBe(0n)
  onSettle(claimedFailure)
  expect(await client().settle(await payment(), requirements())).toMatchObject({
    success: false,
    errorReason: 'transaction_failed',
    transaction: '',
  })
  expect(await received()).toBe(5n)
})

test('responds settlement_pending with the real transaction', async () => {
  onSettle({ kind: 'pending' })
  const pending = await client().settle(await payment(), requirements())
  expect(pending).toMatchObject({ success: false, errorReason: 'settlement_pending' })
  expect(pending.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await received()).toBe(5n)
})

test('rejects any other request', async () => {
  expect((await fetch(`${facilitator.url}/settle`)).status).toBe(404)
  const garbage = await fetch(`${facilitator.url}/settle`, { method: 'POST', body: '{' })
  expect(garbage.status).toBe(500)
})
