import type { Paywall } from '@farebox/payments'
import { expect, test } from 'vitest'
import { networkHealth } from '../../src/routes/network-health.ts'
import type { Config } from '../../src/settings.ts'

test.each([
  ['base', true],
  ['base-sepolia', false],
] as const)('the health of a gateway on %s says mainnet: %s', (NETWORK, mainnet) => {
  expect(healthOf({ NETWORK }).mainnet).toBe(mainnet)
})

test('the health says whether the facilitator of Coinbase is configured', () => {
  expect(healthOf({ CDP_API_KEY_ID: 'a' }).cdp).toBe('configured')
  expect(healthOf({}).cdp).toBe('not configured')
})

function healthOf(config: Partial<Config>) {
  return networkHealth(config as Config, { network: { caip2: 'eip155:8453' } } as Paywall)
}
