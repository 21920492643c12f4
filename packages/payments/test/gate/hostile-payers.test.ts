import {
  burningWallet,
  type Devnet,
  type DevnetAccount,
  delegateTo,
  flippingWallet,
  startDevnet,
} from '@farebox/devnet'
import { createMemoryDisk, createMemoryStore } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import { createInProcessFacilitator } from '@farebox/payments/chain'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { contextFor, network, paymentFor, usdc } from '../support/pay.ts'
import {
  admitted,
  finishRefunds,
  payHeaders,
  price,
  requestFor,
  type TestPaywall,
  until,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 40 })
  return devnet
})
const { settlementGas, revertsPerPayer } = defaultPaymentPolicy

async function transactions(): Promise<number> {
  return Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest']))
}

/** The gas of the relayer's transactions in the last blocks. */
async function gasSince(block: number): Promise<readonly number[]> {
  const head = Number(await devnet.rpc('eth_blockNumber', []))
  const used: number[] = []
  for (let number = block + 1; number <= head; number += 1) {
    const found = await devnet.rpc<{ gasUsed: string }>('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      false,
    ])
    if (Number(found.gasUsed) > 0) used.push(Number(found.gasUsed))
  }
  return used
}

async function present(paywall: TestPaywall, payer: DevnetAccount, clientAddress?: string) {
  const validBefore = Math.floor(paywall.clock() / 1000) + 300
  const { v2 } = await payHeaders(devnet, payer, { validBefore })
  return await paywall.gate.admit({ ...requestFor(v2), clientAddress })
}

/** A new key that holds so much. */
async function payerHolding(amount: bigint): Promise<DevnetAccount> {
  const privateKey = generatePrivateKey()
  const payer = { privateKey, address: privateKeyToAddress(privateKey) }
  await devnet.mint(payer.address, amount)
  return payer
}

test('twenty signatures over one balance settle once, and the relayer sends one transaction', async () => {
  const paywall = open()
  const payer = await payerHolding(price)
  const before = await transactions()
  const admissions = await Promise.all(Array.from({ length: 20 }, () => present(paywall, payer)))
  const refused = admissions.filter(({ status }) => status !== 'settled')
  expect(refused).toHaveLength(19)
  for (const admission of refused) {
    expect(['rejected', 'unavailable']).toContain(admission.status)
  }
  expect(refused.map(({ status }) => status)).toContain('unavailable')
  expect(await transactions()).toBe(before + 1)
})

test("a request that waited for its payer's other payment is served once that is decided", async () => {
  const paywall = open()
  const payer = await payerHolding(2n * price - 1n)
  const [first, second] = [await payHeaders(devnet, payer), await payHeaders(devnet, payer)]
  const { message } = first.signed
  const key = { chainId: network.chainId, asset: network.usdc, ...message }
  await devnet.setAutomine('off')
  const settling = paywall.gate.admit(requestFor(first.v2))
  await until(async () => (await paywall.store.findByAuthorization(key)) !== undefined)
  const held = await paywall.gate.admit(requestFor(second.v2))
  const copy = await paywall.gate.admit(requestFor(first.v2))
  await devnet.setAutomine('on')
  await devnet.mine(1)
  expect(held).toMatchObject({ status: 'unavailable', code: 'balance_in_use' })
  expect(copy).toMatchObject({ status: 'pending', code: 'payment_in_flight' })
  admitted(await settling)
  await devnet.mint(payer.address, 1n)
  admitted(await paywall.gate.admit(requestFor(second.v2)))
})

test.each([
  ['just more than a signature may', 520_000],
  ['13 million', 13_000_000],
])('a payer whose code burns %s gas is refused before anything is sent', async (_, gas) => {
  const paywall = open()
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, burningWallet(gas))
  const before = await transactions()
  expect(await present(paywall, payer)).toMatchObject({
    status: 'rejected',
    body: { message: expect.stringContaining('does not accept the signature') },
  })
  expect(await transactions()).toBe(before)
})

async function settleWith(settlementGas: { key: bigint; wallet: bigint }, payer: DevnetAccount) {
  const to = devnet.treasury.address
  const { rpcUrl } = devnet
  const { queue } = open()
  const facilitator = createInProcessFacilitator({ rpcUrl, network, queue, settlementGas })
  const payment = await paymentFor({ signer: payer, to, value: price }, contextFor(to, price))
  return await facilitator.settle(payment, AbortSignal.timeout(60_000))
}

const tooMuch = {
  status: 'rejected',
  reason: 'invalid_exact_evm_transaction_simulation_failed',
}

test('a settlement that needs more gas than one for a key may is not sent', async () => {
  const payer = freshPayer()
  const before = await transactions()
  expect(await settleWith({ key: 40_000n, wallet: 600_000n }, payer)).toEqual(tooMuch)
  expect(await transactions()).toBe(before)
  expect(await settleWith({ key: 150_000n, wallet: 0n }, payer)).toMatchObject({
    status: 'settled',
  })
})

test('a settlement that needs more gas than one for a wallet may is not sent', async () => {
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, burningWallet(700_000))
  const before = await transactions()
  expect(await settleWith(settlementGas, payer)).toEqual(tooMuch)
  expect(await transactions()).toBe(before)
  await delegateTo(devnet, payer.address, burningWallet(200_000))
  expect(await settleWith(settlementGas, payer)).toMatchObject({ status: 'settled' })
})

test('a payer that agrees only in simulations costs a bounded amount of gas, a few times', async () => {
  const paywall = open()
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, flippingWallet(400_000))
  const { number } = await paywall.chain.head()
  for (let attempt = 0; attempt < revertsPerPayer; attempt += 1) {
    const admission = await present(paywall, payer)
    expect(admission).toMatchObject({ status: 'pending', code: 'settlement_unknown' })
  }
  const used = await gasSince(number)
  expect(used).toHaveLength(revertsPerPayer)
  expect(Math.max(...used)).toBeLessThanOrEqual(Number(settlementGas.wallet))

  const before = await transactions()
  const refused = await present(paywall, payer)
  expect(refused).toMatchObject({
    status: 'rejected',
    body: { message: expect.stringMatching(/reverted on the chain.*until 20\d\d-.*Z/) },
  })
  expect(await transactions()).toBe(before)
  paywall.passSeconds(601)
  expect((await present(paywall, payer)).status).not.toBe('rejected')
})

test('a payer alone that agrees only in simulations is sent once, with the gas of a key', async () => {
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, flippingWallet(20_000))
  const paywall = open()
  const { number } = await paywall.chain.head()
  expect((await present(paywall, payer)).status).toBe('pending')
  const used = await gasSince(number)
  expect(used).toHaveLength(1)
  expect(used[0]).toBeLessThanOrEqual(Number(settlementGas.key))
})

test('an identical request of such a payer is not sent again and again', async () => {
  const paywall = open({ policy: { revertsPerPayer: 1 } })
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, flippingWallet(100_000))
  const { v2 } = await payHeaders(devnet, payer)
  await paywall.gate.admit(requestFor(v2))
  const before = await transactions()
  paywall.passSeconds(6)
  expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ status: 'pending' })
  expect(await transactions()).toBe(before)
})

test('an identical request that reverts each time is sent as often as its payer may revert', async () => {
  const paywall = open()
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, flippingWallet(100_000))
  const { v2 } = await payHeaders(devnet, payer)
  const before = await transactions()
  for (let attempt = 0; attempt < revertsPerPayer + 3; attempt += 1) {
    expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ status: 'pending' })
    paywall.passSeconds(6)
  }
  expect(await transactions()).toBe(before + revertsPerPayer)
})

/** A new payer, with its own code that lies. */
async function lyingPayer(place: number): Promise<DevnetAccount> {
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, flippingWallet(20_000 + place))
  return payer
}

test('simultaneous requests of payers whose code lies are limited by network address and in total', async () => {
  const paywall = open({ policy: { revertsPerAddress: 2, revertsPerHour: 3 } })
  const lying = await Promise.all(Array.from({ length: 4 }, (_, place) => lyingPayer(place)))
  const before = await transactions()
  const atOnce = await Promise.all(lying.map((payer) => present(paywall, payer, '192.0.2.1')))
  expect(atOnce.filter(({ status }) => status === 'unavailable')).toHaveLength(2)
  expect(await transactions()).toBe(before + 2)

  const again = await present(paywall, lying[3]!, '192.0.2.1')
  expect(again).toMatchObject({
    status: 'rejected',
    body: {
      message: expect.stringMatching(/from this network address reverted.*until 20\d\d-.*Z/),
    },
  })
  expect((await present(paywall, lying[2]!, '192.0.2.2')).status).toBe('pending')
  for (const payer of [lying[3]!, await lyingPayer(4)]) {
    expect((await present(paywall, payer, '192.0.2.3')).status).toBe('rejected')
  }
  expect(await transactions()).toBe(before + 3)
  admitted(await present(paywall, freshPayer(), '192.0.2.1'))

  paywall.passSeconds(3_601)
  expect((await present(paywall, lying[3]!, '192.0.2.1')).status).toBe('pending')
})

test('an identical request is not sent again when its network address has used up its limit', async () => {
  const paywall = open({ policy: { revertsPerAddress: 1 } })
  const signed = requestFor((await payHeaders(devnet, await lyingPayer(5))).v2)
  const request = { ...signed, clientAddress: '192.0.2.1' }
  await paywall.gate.admit(request)
  const before = await transactions()
  paywall.passSeconds(6)
  expect((await paywall.gate.admit(request)).status).toBe('pending')
  expect(await transactions()).toBe(before)
  await paywall.gate.admit({ ...signed, clientAddress: '192.0.2.2' })
  expect(await transactions()).toBe(before + 1)
})

test('payers with the same lying code share a budget, which payers with a key do not use', async () => {
  const paywall = open({ policy: { revertsPerCode: 2 } })
  const first = freshPayer()
  const delegation = await delegateTo(devnet, first.address, flippingWallet(100_000))
  const others = [freshPayer(), freshPayer()]
  for (const { address } of others) await devnet.setCode(address, delegation)
  expect((await present(paywall, first)).status).toBe('pending')
  expect((await present(paywall, others[0]!)).status).toBe('pending')
  expect((await present(paywall, others[1]!)).status).toBe('rejected')
  admitted(await present(paywall, freshPayer()))
})

/** One settlement that uses some 250,000 gas more than one of a key may. */
const oneBurnt = { unservedPerAddress: 1 }

test('code that uses much gas and agrees is served until what its calls did not pay for reaches a limit of its address', async () => {
  const paywall = open({ policy: oneBurnt })
  const [first, second] = [freshPayer(), freshPayer()]
  const delegation = await delegateTo(devnet, first.address, burningWallet(330_000))
  await devnet.setCode(second.address, delegation)
  admitted(await present(paywall, first, '192.0.2.1'))
  const before = await transactions()
  for (const payer of [first, second]) {
    expect(await present(paywall, payer, '192.0.2.1')).toMatchObject({
      status: 'rejected',
      body: { message: expect.stringMatching(/used more gas than their calls paid for.*until 20/) },
    })
  }
  expect(await transactions()).toBe(before)
  admitted(await present(paywall, freshPayer(), '192.0.2.1'))
  admitted(await present(paywall, second, '192.0.2.2'))
  paywall.passSeconds(3_601)
  admitted(await present(paywall, second, '192.0.2.1'))
})

test.each([
  ['pays for', 9_000n, 'settled'],
  ['does not pay for', 1_000n, 'rejected'],
])('a call that %s the gas of its code', async (_, cost, next) => {
  const paywall = open({ policy: oneBurnt })
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, burningWallet(330_000))
  const payment = admitted(await present(paywall, payer, '192.0.2.1'))
  const begun = await paywall.gate.begin(payment)
  if (begun.status !== 'begun') throw new Error('expected to begin')
  await paywall.gate.complete(begun.payment, { cost: usdc(cost), usage: null, answer: null })
  expect((await present(paywall, payer, '192.0.2.1')).status).toBe(next)
})

test('a payer that delegates to an honest wallet pays, however often', async () => {
  const policy = { revertsPerAddress: 1, revertsPerHour: 1, unservedPerAddress: 0 }
  const paywall = open({ policy })
  const payer = freshPayer()
  const wallet = await devnet.deploySmartWallet(payer.address)
  await devnet.setCode(payer.address, `0xef0100${wallet.slice(2)}`)
  for (let sale = 0; sale < 2; sale += 1) {
    expect((await present(paywall, payer, '192.0.2.1')).status).toBe('settled')
  }
})

test('a refusal for a low balance holds, although a refund then raises it', async () => {
  const disk = createMemoryDisk()
  const paywall = open({ store: createMemoryStore({ disk }) })
  const payer = await payerHolding(price)
  const first = admitted(await present(paywall, payer))

  const { v2 } = await payHeaders(devnet, payer)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  expect(paywall.notices.at(-1)).toMatchObject({ type: 'payment_rejected' })
  await paywall.gate.fail((await paywall.gate.begin(first)).payment, {
    reason: 'upstream_failed',
    answer: null,
  })
  await finishRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(price)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  expect([...disk.payments.values()].map(({ status }) => status)).toEqual(['failed', 'rejected'])
})

test('a refusal for a low balance does not reject what another replica is settling', async () => {
  const store = createMemoryStore()
  const payer = await payerHolding(price)
  const replica = open({
    store,
    owner: 'replica-2',
    facilitator: { name: 'hanging', settle: () => new Promise(() => undefined) },
    policy: { settleTimeoutMs: 500, proofTimeoutMs: 0 },
  })
  const { v2, signed } = await payHeaders(devnet, payer)
  const key = { chainId: network.chainId, asset: network.usdc, ...signed.message }
  let settling: Promise<unknown> | undefined
  const overtaken = open({
    store: {
      ...store,
      async openPayments() {
        await devnet.mint(payer.address, price)
        settling = replica.gate.admit(requestFor(v2))
        await until(async () => (await store.findByAuthorization(key)) !== undefined)
        return { others: 1, rejected: 0 }
      },
    },
  })
  await executeAuthorization(devnet, (await payHeaders(devnet, payer)).signed)
  expect(await overtaken.gate.admit(requestFor(v2))).toMatchObject({ status: 'pending' })
  expect(await settling).toMatchObject({ status: 'pending' })
})

test('a refusal for another reason than the balance is not recorded', async () => {
  const disk = createMemoryDisk()
  const paywall = open({ store: createMemoryStore({ disk }) })
  const payer = freshPayer()
  admitted(await present(paywall, payer))
  await delegateTo(devnet, payer.address, burningWallet(13_000_000))
  expect((await present(paywall, payer)).status).toBe('rejected')
  expect(disk.payments.size).toBe(1)
})

test('few refusals of one payer are recorded, and none of a payer without open payments', async () => {
  const disk = createMemoryDisk()
  const paywall = open({ store: createMemoryStore({ disk }) })
  const stranger = await payerHolding(price - 1n)
  expect((await present(paywall, stranger)).status).toBe('rejected')
  expect(disk.payments.size).toBe(0)

  const payer = await payerHolding(price)
  admitted(await present(paywall, payer))
  for (let recorded = 0; recorded < 10; recorded += 1) {
    expect((await present(paywall, payer)).status).toBe('rejected')
  }
  expect(await present(paywall, payer)).toMatchObject({
    status: 'unavailable',
    code: 'balance_in_use',
  })
  expect(disk.payments.size).toBe(11)
})
