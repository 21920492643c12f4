import {
  burningWallet,
  createWalletCall,
  type Devnet,
  smartWalletFactoryAddress,
  startDevnet,
} from '@farebox/devnet'
import { createChainReader, createInProcessFacilitator } from '@farebox/payments/chain'
import { createPaymentCheck } from '@farebox/payments/wire'
import { concat, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { contextFor, encode, network, signAuthorization, wirePayload } from '../support/pay.ts'
import {
  admitted,
  openTestPaywall,
  price,
  requestFor,
  type TestPaywall,
  type TestPaywallOptions,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

/** A paywall that takes payments of wallets that this factory deploys (ERC-6492). */
function openWith(factory: Hex, policy: NonNullable<TestPaywallOptions['policy']>): TestPaywall {
  const { rpcUrl, treasury } = devnet
  const { queue } = open()
  const allowed = { network, walletFactories: [factory] }
  const facilitator = createInProcessFacilitator({ ...allowed, rpcUrl, queue })
  const chain = createChainReader({ rpcUrl })
  const checkPayment = createPaymentCheck({
    ...allowed,
    chain,
    payTo: treasury.address,
    ownAccounts: [],
  })
  const paywall = openTestPaywall({ devnet, queue, facilitator, checkPayment, policy })
  onTestFinished(() => paywall.gate.close())
  return paywall
}

/** A request paid by a new wallet, which the factory is called to deploy. */
async function present(paywall: TestPaywall, factory: Hex) {
  const owner = freshPayer()
  const from = await devnet.smartWalletOf(owner.address)
  await devnet.mint(from, price)
  const to = devnet.treasury.address
  const signed = await signAuthorization({ signer: owner, from, to, value: price })
  const content = encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [
    factory,
    createWalletCall(owner.address),
    signed.signature,
  ])
  const signature = concat([content, `0x${'6492'.repeat(16)}`])
  const { v2 } = wirePayload({ ...signed, signature }, contextFor(to, price))
  const request = requestFor({ 'payment-signature': encode(v2) })
  return await paywall.gate.admit({ ...request, clientAddress: '192.0.2.1' })
}

async function transactions(): Promise<number> {
  return Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest']))
}

/** A contract that uses so much gas and deploys nothing. */
async function burningFactory(gas: number): Promise<Hex> {
  const factory = freshPayer().address
  await devnet.setCode(factory, burningWallet(gas))
  return factory
}

test('the gas of a deployment counts towards the limit of its network address', async () => {
  const paywall = openWith(smartWalletFactoryAddress, { unservedPerAddress: 0 })
  admitted(await present(paywall, smartWalletFactoryAddress))
  expect(await present(paywall, smartWalletFactoryAddress)).toMatchObject({
    status: 'rejected',
    body: { message: expect.stringContaining('used more gas than their calls paid for') },
  })
})

test('a deployment that needs more gas than a settlement for a wallet may is not sent', async () => {
  const factory = await burningFactory(700_000)
  const before = await transactions()
  const admission = await present(openWith(factory, {}), factory)
  expect(admission.status).not.toBe('settled')
  expect(await transactions()).toBe(before)
})

test('a deployment without a transfer counts as a revert', async () => {
  const factory = await burningFactory(400_000)
  const paywall = openWith(factory, { revertsPerAddress: 1 })
  const before = await transactions()
  expect((await present(paywall, factory)).status).toBe('pending')
  expect((await present(paywall, factory)).status).toBe('rejected')
  expect(await transactions()).toBe(before + 1)
})
