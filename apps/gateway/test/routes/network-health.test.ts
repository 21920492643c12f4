import { paymentNetwork } from '@farebox/payments'
import { expect, test } from 'vitest'
import { networkHealth } from '../../src/routes/network-health.ts'

test.each([
  ['base', 'eip155:8453', true],
  ['base-sepolia', 'eip155:84532', false],
] as const)(
  'the health of a gateway on %s names %s, with mainnet %s',
  (NETWORK, caip2, mainnet) => {
    const health = networkHealth({ NETWORK }, { network: paymentNetwork(NETWORK) })
    expect(health).toEqual({ network: caip2, mainnet, cdp: 'not configured' })
  },
)

test('the health says that the facilitator of Coinbase is configured', () => {
  const config = { NETWORK: 'base', CDP_API_KEY_ID: 'a' } as const
  expect(networkHealth(config, { network: paymentNetwork('base') }).cdp).toBe('configured')
})
