import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { signPaymentRequired } from '../../src/index.ts'

const account = privateKeyToAccount(generatePrivateKey())

test.each([
  [{ account, maxAmountt: 1n }, 'A signature has no option maxAmountt.'],
  [{ account }, /maxAmount must be an amount/],
  [{ account, maxAmount: 1n, networks: ['ethereum'] }, /networks: ethereum is not one of base/],
  [undefined, /maxAmount must be an amount/],
])('nothing is signed without a cap that is spelled right: %#', async (options, message) => {
  await expect(signPaymentRequired('', options as never)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(message),
  })
})
