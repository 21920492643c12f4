import { payerAccount } from '@farebox/devnet'
import { parseUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { siteFacts } from '../../src/routes/site-facts.ts'

const storefront = {
  defaultChatModel: 'a/b',
  defaultImageModel: 'c/d',
  terms: { bufferBps: 1000, markupBps: 0, minimumCharge: parseUsdc('0.001') },
}
const shop = { storefront, publicUrl: 'https://farebox.example', channelMinimum: undefined }
const funded = { payers: [payerAccount(0)] }

test('on the devnet the page gets the payer with the well-known private key', () => {
  const facts = siteFacts({ config: { NETWORK: 'devnet' }, ...shop, devnet: funded })
  expect(facts.demoPayer).toEqual(payerAccount(0))
})

test.each(['base', 'base-sepolia'] as const)('on %s the page gets no key', (NETWORK) => {
  const facts = siteFacts({ config: { NETWORK }, ...shop, devnet: funded })
  expect(facts.demoPayer).toBeUndefined()
})

test('keys of the file of a devnet are never given away', () => {
  const own = { address: payerAccount(1).address, privateKey: `0x${'11'.repeat(32)}` } as const
  for (const devnet of [{ payers: [own] }, undefined]) {
    const facts = siteFacts({ config: { NETWORK: 'devnet' }, ...shop, devnet })
    expect(JSON.stringify(facts)).not.toContain('privateKey')
  }
  const renamed = { payers: [{ ...own, address: payerAccount(0).address }] }
  const facts = siteFacts({ config: { NETWORK: 'devnet' }, ...shop, devnet: renamed })
  expect(facts.demoPayer?.privateKey).toBe(payerAccount(0).privateKey)
})

test('the page gets the minimum charge of each way to pay, of channels only where they are sold', () => {
  const config = { NETWORK: 'base' } as const
  const options = { config, ...shop, devnet: undefined }
  const both = siteFacts({ ...options, channelMinimum: parseUsdc('0.0001') })
  expect(both).toMatchObject({ minimumCharge: '0.001000', channelMinimumCharge: '0.000100' })
  expect(siteFacts(options)).not.toHaveProperty('channelMinimumCharge')
})
