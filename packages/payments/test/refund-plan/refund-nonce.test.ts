import { batchedRefundNonce, refundNonce } from '@farebox/payments/chain'
import { concat, keccak256, padHex, stringToHex, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { network } from '../support/pay.ts'

describe('the nonce of a refund', () => {
  const authorization = {
    chainId: 84532,
    asset: network.usdc,
    from: padHex('0x0a', { size: 20 }),
    nonce: padHex('0x0b', { size: 32 }),
  } as const

  test('is the hash of the payment’s identity, word by word', () => {
    const words = [
      keccak256(stringToHex('farebox:refund:v1')),
      toHex(84532, { size: 32 }),
      padHex(network.usdc, { size: 32 }),
      padHex('0x0a', { size: 32 }),
      padHex('0x0b', { size: 32 }),
    ]
    expect(refundNonce(authorization)).toBe(keccak256(concat(words)))
  })

  test('never changes: another nonce would pay old refunds again', () => {
    expect(refundNonce(authorization)).toBe(
      '0x3bde2517ba729fadf20c9a749c94f29145a96f67540138c745dfa6c174fcc80f',
    )
    const { chainId, asset, from: payer } = authorization
    expect(batchedRefundNonce({ chainId, asset, payer, sequence: 1 })).toBe(
      '0xaef0c2506e7641d39b1ee894c42c229dc48e5a40a644f48ccede5d27f4377bb7',
    )
  })

  test('of batched refunds differs by sequence, and from that of every payment', () => {
    const { chainId, asset, from: payer } = authorization
    const sequences = [0, 1, 2, 11].map((sequence) =>
      batchedRefundNonce({ chainId, asset, payer, sequence }),
    )
    expect(new Set([...sequences, refundNonce(authorization)]).size).toBe(5)
  })
})
