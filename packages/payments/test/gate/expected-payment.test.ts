import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import type { ExpectedPayment } from '@farebox/payments'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encode, network, usdc } from '../support/pay.ts'
import {
  openTestPaywall,
  payHeaders,
  requestFor,
  type TestPaywall,
} from '../support/test-paywall.ts'

let devnet: Devnet
let node: RpcFaults
let paywall: TestPaywall

beforeAll(async () => {
  devnet = await startDevnet({ payers: 2 })
  node = await startRpcFaults({ target: devnet.rpcUrl })
  paywall = openTestPaywall({ devnet, rpcUrl: node.url })
})
afterAll(async () => {
  paywall.close()
  await node.stop()
  await devnet.stop()
})

const later = 60_000

/** What a payer is expected to hold, and since when that is known. */
function holding(expected: ExpectedPayment, balance: bigint, at: number): ExpectedPayment {
  const answer = Promise.resolve({ balance: usdc(balance), code: null })
  return { ...expected, payer: { ...expected.payer!, answer, at } }
}

test('the node is asked about the payer before its request is admitted, and not again', async () => {
  const { gate, clock } = paywall
  const { v2 } = await payHeaders(devnet, devnet.payers[0]!)
  const before = node.calls.length
  const { read, payer } = await gate.expect(v2)
  await payer?.answer
  const asked = node.calls.slice(before)
  expect(asked.map(({ method }) => method)).toContain('eth_call')
  expect(payer?.address).toBe(devnet.payers[0]!.address.toLowerCase())

  const expected = { read, payer: { ...payer!, at: clock() + later } }
  const admission = await gate.admit(requestFor(v2, { expected }))
  expect(admission.status).toBe('settled')
  expect(node.calls.slice(before).filter(isPayerRead)).toHaveLength(1)
})

/** A call without a recipient runs code, which reads payers. */
function isPayerRead({ method, params: [call] }: RpcFaults['calls'][number]): boolean {
  return method === 'eth_call' && typeof call === 'object' && call !== null && !('to' in call)
}

test('what was just answered about the payer decides, and an older answer does not', async () => {
  const { gate, clock } = paywall
  const admit = async (at: number) => {
    const { v2 } = await payHeaders(devnet, devnet.payers[0]!)
    const expected = holding(await gate.expect(v2), 0n, at)
    return await gate.admit(requestFor(v2, { expected }))
  }
  expect(await admit(clock() + later)).toMatchObject({
    status: 'rejected',
    body: { message: expect.stringContaining('holds 0') },
  })
  expect((await admit(clock() - later)).status).toBe('settled')
})

test('a made-up signature costs one read of the balance, and nothing is written', async () => {
  const { gate, store } = paywall
  const [payer] = devnet.payers
  const { payload, signed } = await payHeaders(devnet, payer!)
  const signature = `0x${'1'.repeat(128)}1b`
  const forged = { ...payload, payload: { ...payload.payload, signature } }
  const headers = { 'payment-signature': encode(forged) }
  const before = node.calls.length
  const expected = await gate.expect(headers)
  await expected.payer?.answer
  expect((await gate.admit(requestFor(headers, { expected }))).status).toBe('rejected')
  expect(node.calls.slice(before).filter(isPayerRead)).toHaveLength(1)
  const { chainId, usdc: asset } = network
  const { from, nonce } = signed.message
  expect(await store.findByAuthorization({ chainId, asset, from, nonce })).toBeUndefined()
})

test('what is known of another payer decides nothing', async () => {
  const { gate, clock } = paywall
  const [first, second] = devnet.payers
  const { v2 } = await payHeaders(devnet, first!)
  const other = await payHeaders(devnet, second!)
  const { payer } = holding(await gate.expect(other.v2), 0n, clock() + later)
  const { read } = await gate.expect(v2)
  const admission = await gate.admit(requestFor(v2, { expected: { read, payer } }))
  expect(admission.status).toBe('settled')
})

test('the node is not asked about headers that do not pay the treasury', async () => {
  const { gate } = paywall
  const elsewhere = await payHeaders(devnet, devnet.payers[0]!, { to: devnet.relayer.address })
  const before = node.calls.length
  const headers = [{}, { 'payment-signature': 'nonsense' }, elsewhere.v2]
  const expected = await Promise.all(headers.map((header) => gate.expect(header)))
  expect(expected.map(({ payer }) => payer)).toEqual([undefined, undefined, undefined])
  expect(node.calls.slice(before)).toEqual([])
})
