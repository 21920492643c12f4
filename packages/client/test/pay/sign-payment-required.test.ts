import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { paymentNetworks, signPaymentRequired } from '../../src/index.ts'

const account = privateKeyToAccount(generatePrivateKey())

const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: paymentNetworks.base.usdc,
  amount: '1',
  payTo: account.address,
  maxTimeoutSeconds: 60,
}
const header = btoa(JSON.stringify({ x402Version: 2, accepts: [offer] }))

test.each([
  [{ account, maxAmountt: 1n }, 'A signature has no option maxAmountt.'],
  [{ account: undefined, maxAmount: 1n }, /^account must be an account of viem/],
  [{ account: account.address, maxAmount: 1n }, /^account must be an account of viem/],
  [
    { account: { ...account, address: undefined }, maxAmount: 1n },
    /pass a wallet client as signer/,
  ],
  [{ account }, /maxAmount must be an amount/],
  [{ account, maxAmount: 1n, networks: ['ethereum'] }, /networks: ethereum is not one of base/],
  [undefined, /maxAmount must be an amount/],
  [{ account, maxAmount: 1n, networks: ['polygon'] }, /^networks: polygon is not one of base/],
])('nothing is signed with invalid options: %#', async (options, message) => {
  await expect(signPaymentRequired(header, options as never)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(message),
  })
})
