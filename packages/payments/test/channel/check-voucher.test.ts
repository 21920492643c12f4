import type { Hex } from '@farebox/ledger'
import { voucherTypes } from '@x402/evm'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { channelContract } from '../../src/chain/addresses.ts'
import { channelDigests } from '../../src/channel/channel-digests.ts'
import { createVoucherCheck } from '../../src/channel/check-voucher.ts'
import { usdc } from '../support/pay.ts'

const chainId = 84532
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const signer = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const payerAuthorizer = signer.address.toLowerCase() as Hex
const channelId: Hex = `0x${'ab'.repeat(32)}`
const max = 12_345n
const check = createVoucherCheck(channelDigests(chainId))

async function sign(amount = max): Promise<Hex> {
  return await signer.signTypedData({
    domain: {
      name: 'x402 Batch Settlement',
      version: '1',
      chainId,
      verifyingContract: channelContract,
    },
    types: voucherTypes,
    primaryType: 'Voucher',
    message: { channelId, maxClaimableAmount: amount },
  })
}

async function accepts(signature: Hex): Promise<boolean> {
  const voucher = { max: usdc(max), signature }
  return await check({ channelId, config: { payerAuthorizer }, voucher })
}

test('a voucher as a wallet signs it is accepted', async () => {
  expect(await accepts(await sign())).toBe(true)
})

test('a voucher for another amount, channel or signer is not', async () => {
  expect(await accepts(await sign(max + 1n))).toBe(false)
  const voucher = { max: usdc(max), signature: await sign() }
  const config = { payerAuthorizer }
  expect(await check({ channelId: `0x${'ac'.repeat(32)}`, config, voucher })).toBe(false)
  const other = { payerAuthorizer: `0x${'00'.repeat(20)}` } as const
  expect(await check({ channelId, config: other, voucher })).toBe(false)
})

test('a genuine signature in a form that the contract refuses is not accepted', async () => {
  const genuine = await sign()
  const v = Number.parseInt(genuine.slice(-2), 16)
  const withV = (byte: number): Hex =>
    `0x${genuine.slice(2, -2)}${byte.toString(16).padStart(2, '0')}`
  expect(await accepts(withV(v - 27))).toBe(false)
  const highS = (order - BigInt(`0x${genuine.slice(66, 130)}`)).toString(16).padStart(64, '0')
  const flipped = (v === 27 ? 28 : 27).toString(16)
  expect(await accepts(`0x${genuine.slice(2, 66)}${highS}${flipped}`)).toBe(false)
  expect(await accepts(`${genuine}00`)).toBe(false)
  expect(await accepts('0x')).toBe(false)
})
