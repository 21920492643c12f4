import type { ChannelConfig, Hex } from '@farebox/ledger'
import { claimBatchTypes, refundTypes, voucherTypes } from '@x402/evm'
import { computeChannelId } from '@x402/evm/batch-settlement/client'
import fc from 'fast-check'
import { bytesToHex, hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { channelContract } from '../../src/chain/addresses.ts'
import { channelDigests } from '../../src/channel/channel-digests.ts'

const chainId = 84532
const digests = channelDigests(chainId)
const domain = {
  name: 'x402 Batch Settlement',
  version: '1',
  chainId,
  verifyingContract: channelContract,
}

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString('hex')}`)
const amounts = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

const configs: fc.Arbitrary<ChannelConfig> = fc.record({
  payer: hexOf(20),
  payerAuthorizer: hexOf(20),
  receiver: hexOf(20),
  receiverAuthorizer: hexOf(20),
  token: hexOf(20),
  withdrawDelay: fc.integer({ min: 0, max: 2 ** 40 - 1 }),
  salt: hexOf(32),
})

test('the id of a channel equals that of the stock client', () => {
  fc.assert(
    fc.property(configs, (config) => {
      expect(digests.channelId(config)).toBe(computeChannelId(config, chainId))
    }),
    { numRuns: 50 },
  )
})

test('vouchers, refunds and batches of claims are hashed as the stock packages sign them', () => {
  const entries = fc.array(
    fc.record({ channelId: hexOf(32), maxClaimableAmount: amounts, totalClaimed: amounts }),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(hexOf(32), amounts, entries, (channelId, amount, claims) => {
      const voucher = { channelId, maxClaimableAmount: amount }
      expect(bytesToHex(digests.voucher(channelId, amount))).toBe(
        hashTypedData({ domain, types: voucherTypes, primaryType: 'Voucher', message: voucher }),
      )
      const refund = { channelId, nonce: 7n, amount }
      expect(bytesToHex(digests.refund(channelId, 7n, amount))).toBe(
        hashTypedData({ domain, types: refundTypes, primaryType: 'Refund', message: refund }),
      )
      const types = claimBatchTypes
      expect(bytesToHex(digests.claimBatch(claims))).toBe(
        hashTypedData({ domain, types, primaryType: 'ClaimBatch', message: { claims } }),
      )
    }),
    { numRuns: 50 },
  )
})
