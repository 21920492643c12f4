import type { Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'
import fc from 'fast-check'
import { bytesToHex, hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { authorizationDigests, domainSeparator } from '../../src/signature/authorization-digest.ts'
import { authorizationTypes, cancelTypes } from '../support/pay.ts'

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString('hex')}`)

const authorizations = fc.record({
  from: hexOf(20),
  to: hexOf(20),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(atomicUsdc),
  validAfter: fc.nat(),
  validBefore: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  nonce: hexOf(32),
})

function domainOf(name: 'base' | 'base-sepolia') {
  const { chainId, domain, usdc } = paymentNetwork(name)
  return { ...domain, chainId, verifyingContract: usdc }
}

test.each(['base', 'base-sepolia'] as const)('digests for %s equal those of viem', (name) => {
  const digests = authorizationDigests(paymentNetwork(name))
  fc.assert(
    fc.property(authorizations, (authorization) => {
      const { from, to, value, validAfter, validBefore, nonce } = authorization
      const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
      const message = { from, to, value, ...times, nonce }
      const domain = domainOf(name)
      const types = authorizationTypes
      const transfer = { domain, types, primaryType: 'TransferWithAuthorization', message } as const
      expect(bytesToHex(digests.transfer(authorization))).toBe(hashTypedData(transfer))
      const receive = {
        domain,
        types: { ReceiveWithAuthorization: types.TransferWithAuthorization },
        primaryType: 'ReceiveWithAuthorization',
        message,
      } as const
      expect(bytesToHex(digests.receive(authorization))).toBe(hashTypedData(receive))
      const cancel = hashTypedData({
        domain: domainOf(name),
        types: cancelTypes,
        primaryType: 'CancelAuthorization',
        message: { authorizer: from, nonce },
      })
      expect(bytesToHex(digests.cancel(from, nonce))).toBe(cancel)
    }),
    { numRuns: 300 },
  )
})

test('the domain of Base Sepolia equals the one that its USDC returns', () => {
  expect(bytesToHex(domainSeparator(paymentNetwork('base-sepolia')))).toBe(
    '0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818',
  )
})

test('the domain of Base equals the one that its USDC returns', () => {
  expect(bytesToHex(domainSeparator(paymentNetwork('base')))).toBe(
    '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
  )
})
