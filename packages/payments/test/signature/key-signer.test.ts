import type { SigningAccount } from '@farebox/payments/chain'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../src/chain/hex.ts'
import { formatKeySignature } from '../../src/signature/key-signature.ts'
import { createKeySigner } from '../../src/signature/key-signer.ts'

const privateKey = generatePrivateKey()
const account = privateKeyToAccount(privateKey)
const digest = new Uint8Array(32).fill(7)

test('a private key and an account with the same key sign the same', async () => {
  const near = createKeySigner(privateKey)
  const elsewhere = createKeySigner(account)
  expect(elsewhere?.address).toBe(account.address.toLowerCase())
  expect(near?.address).toBe(elsewhere?.address)
  const signatures = [await near!.sign(digest), await elsewhere!.sign(digest)].map(
    formatKeySignature,
  )
  const expected = await account.sign({ hash: bytesToHex(digest) })
  expect(signatures).toEqual([expected, expected])
})

test.each<[string, SigningAccount['sign'], string]>([
  ['that is down', () => Promise.reject(new Error('503')), 'unavailable'],
  ['with another key', privateKeyToAccount(generatePrivateKey()).sign, 'wrong_key'],
  ['that returns no signature', () => Promise.resolve('0x'), 'wrong_key'],
])('an account %s does not sign', async (_, sign, code) => {
  const signer = createKeySigner({ address: account.address, sign })
  await expect(signer!.sign(digest)).rejects.toMatchObject({ name: 'SigningError', code })
})
