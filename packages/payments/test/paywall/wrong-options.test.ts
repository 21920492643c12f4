import { payerAccount } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { paymentNetwork } from '@farebox/payments'
import {
  createChainReader,
  createRefundSigner,
  createRemoteFacilitator,
  createTransactionQueue,
} from '@farebox/payments/chain'
import {
  type FacilitatorConfig,
  openPaywall,
  type PaywallOptions,
  paymentMiddleware,
} from '@farebox/payments/express'
import { expect, test } from 'vitest'

const [treasury, relayer] = [payerAccount(0), payerAccount(1)]
const rpcUrl = 'http://127.0.0.1:1'
const devnet = paymentNetwork('devnet')
const options: PaywallOptions = {
  network: 'base-sepolia',
  rpcUrl,
  store: createMemoryStore(),
  treasuryKey: treasury.privateKey,
  relayerKey: relayer.privateKey,
}

test.each<[string, object, string]>([
  ['network', { network: 'eip155:8453' }, 'network must be one of devnet, base-sepolia, base'],
  ['rpcUrl', { rpcUrl: undefined }, 'rpcUrl must be an http or https URL'],
  ['rpcUrl', { rpcUrl: 'wss://node.example' }, 'rpcUrl must be an http or https URL'],
  ['publicUrl', { publicUrl: 'api.example' }, 'publicUrl must be an http or https URL'],
  ['store', { store: Promise.resolve(createMemoryStore()) }, 'store must be an open ledger'],
  ['facilitator', { facilitator: 'https://f.example' }, 'facilitator must have an http or https'],
  ['facilitator', { facilitator: { url: 'f.example' } }, 'facilitator must have an http or https'],
  ['treasuryKey', { treasuryKey: undefined }, 'treasuryKey must be a private key, 0x and 64'],
  [
    'treasuryKey',
    { treasuryKey: treasury.privateKey.slice(2) },
    'treasuryKey must be a private key, 0x and 64 hexadecimal digits, or an account with address and sign',
  ],
  ['relayerKey', { relayerKey: '0x1234' }, 'relayerKey must be a private key'],
  ['relayerKey', { relayerKey: { address: relayer.address } }, 'relayerKey must be a private key'],
  ['refundMinimum', { refundMinimum: 0.01 }, 'refundMinimum must be USDC in atomic units'],
  ['dollarsPerEther', { dollarsPerEther: 3_000 }, 'dollarsPerEther must be whole dollars'],
  ['onEvent', { onEvent: console }, 'onEvent must be a function'],
  ['cap of channels', { channels: { maxUnclaimed: 1n } }, 'channels has no option "maxUnclaimed"'],
  ['account', { monitoring: { ownAcounts: [] } }, 'monitoring has no option "ownAcounts"'],
  ['name of an option', { channel: {} }, 'a paywall has no option "channel"'],
])('a paywall with another %s does not open: %o', (_, change, message) => {
  expect(() => openPaywall({ ...options, ...change })).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(message) }),
  )
})

test.each([
  ['openPaywall', () => openPaywall(undefined as never), 'network must be one of'],
  [
    'paymentMiddleware',
    () => paymentMiddleware(treasury.address, undefined as never),
    'routes must have a route',
  ],
])('%s without options names what is missing', (_, open, message) => {
  expect(open).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(message) }),
  )
})

test('a key that is both treasury and relayer is refused', () => {
  expect(() => openPaywall({ ...options, relayerKey: treasury.privateKey })).toThrow(
    expect.objectContaining({ code: 'one_key' }),
  )
})

test.each([
  { refundConfirmations: Number.NaN },
  { refundConfirmations: -1 },
  { leaseMs: undefined as never },
  { minRelayerWei: -1n },
  { minRelayerWei: 1 as never },
  { maxTimeoutSeconds: '60' as never },
  { releaseWith: 'preconfirmed' as never },
  { refundConfirmation: 3 },
])('a policy with an invalid member is refused: %o', (policy) => {
  expect(() => openPaywall({ ...options, policy })).toThrow(
    expect.objectContaining({ code: 'invalid_payment_policy' }),
  )
})

test.each([{ minChargee: 1n }, { minDeposit: -1n as never }, { claimBatchSize: Number.NaN }])(
  'a policy of channels with an invalid member is refused: %o',
  (policy) => {
    expect(() => openPaywall({ ...options, channels: { policy } })).toThrow(
      expect.objectContaining({ code: 'invalid_payment_policy' }),
    )
  },
)

const misspelt = `${treasury.address.slice(0, -1)}${treasury.address.endsWith('a') ? 'b' : 'a'}`

test.each<[string, string, FacilitatorConfig, string]>([
  ['no address', 'me.eth', {}, 'payTo must be an address'],
  ['a misspelt address', misspelt, {}, 'payTo must be an address'],
  [
    'the address of another key',
    relayer.address,
    { treasuryKey: treasury.privateKey },
    `treasuryKey is the key of ${treasury.address.toLowerCase()}`,
  ],
])('paymentMiddleware with %s as payTo does not open', (_, payTo, config, message) => {
  const given = payTo as typeof treasury.address
  expect(() => paymentMiddleware(given, { '/a': '$1' }, config)).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(message) }),
  )
})

test('paymentMiddleware refuses an option that it does not know', () => {
  const config = { url: 'http://127.0.0.1:1', treasurykey: treasury.privateKey }
  expect(() => paymentMiddleware(treasury.address, { '/a': '$1' }, config)).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: 'a paywall has no option "treasurykey"',
    }),
  )
})

test.each([null, { price: null, network: 'base' }, undefined])(
  'paymentMiddleware refuses a route without a price: %o',
  (route) => {
    expect(() => paymentMiddleware(treasury.address, { '/a': route as never })).toThrow(
      expect.objectContaining({ code: 'invalid_price', message: expect.stringContaining('"/a"') }),
    )
  },
)

// Plain JavaScript passes what the types forbid.
test.each<[string, (given: never) => unknown, object, string]>([
  ['createChainReader', createChainReader, {}, 'rpcUrl must be the address of a node'],
  ['createRemoteFacilitator', createRemoteFacilitator, {}, 'url must be the address of a facil'],
  ['createRefundSigner', createRefundSigner, { network: devnet }, "The treasury's key is not"],
  [
    'createTransactionQueue',
    createTransactionQueue,
    { rpcUrl, network: devnet },
    "The relayer's key",
  ],
  ['paymentNetwork', ({ name }) => paymentNetwork(name), { name: 'ethereum' }, 'network must be'],
])('%s without what it needs names that', (_, create, given, message) => {
  expect(() => create(given as never)).toThrow(message)
})
