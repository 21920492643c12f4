import { expect, test } from 'vitest'
import { chainTitle } from '../src/wallet/chain-title.ts'

test.each([
  ['eip155:84532', 'http://127.0.0.1:8545', 'the devnet'],
  ['eip155:84532', undefined, 'Base Sepolia'],
  ['eip155:8453', 'http://127.0.0.1:8545', 'Base'],
  ['eip155:1', undefined, 'eip155:1'],
  ['constructor', undefined, 'constructor'],
])('chain %s with the devnet %s is called %s', (id, devnetRpcUrl, title) => {
  expect(chainTitle(id, devnetRpcUrl)).toBe(title)
})
