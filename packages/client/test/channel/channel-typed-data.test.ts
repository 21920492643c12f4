import { computeChannelId } from '@x402/evm/batch-settlement/client'
import { hashTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import {
  channelId,
  depositTypedData,
  voucherDigest,
  voucherTypedData,
} from '../../src/channel/channel-typed-data.ts'
import { isVoucherOf } from '../../src/channel/voucher-signature.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const config = {
  payer: account.address,
  payerAuthorizer: account.address,
  receiver: '0x00000000000000000000000000000000000000b2',
  receiverAuthorizer: '0x00000000000000000000000000000000000000a1',
  token: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  withdrawDelay: 86_400,
  salt: `0x${'ab'.repeat(32)}`,
} as const
const id = channelId(config, 84532)
const voucher = { channelId: id, chainId: 84532, max: 123_456n }

test('the id of a channel is that of the stock package', () => {
  expect(id).toBe(computeChannelId(config, 'eip155:84532'))
})

test('the digest of a voucher is that of viem', () => {
  const data = voucherTypedData(voucher) as unknown as Parameters<typeof hashTypedData>[0]
  expect(Buffer.from(voucherDigest(voucher)).toString('hex')).toBe(hashTypedData(data).slice(2))
})

test('the nonce of a deposit depends on its channel and its salt', () => {
  const token = { chainId: 84532, address: config.token, domain: { name: 'USDC', version: '2' } }
  const deposit = { payer: config.payer, token, amount: 1n, validBefore: 2n }
  const nonces = [
    { channelId: id, salt: config.salt },
    { channelId: config.salt, salt: id },
  ].map((keys) => depositTypedData({ ...deposit, ...keys }).message['nonce'])
  expect(new Set(nonces).size).toBe(2)
})

test('only the signature of the address itself counts, in the form of the contract', async () => {
  const data = voucherTypedData(voucher) as unknown as Parameters<typeof account.signTypedData>[0]
  const signature = await account.signTypedData(data)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const high = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  const parity = signature.slice(130)
  const isOurs = (text: string): boolean => isVoucherOf(account.address, voucher, text)
  expect(isOurs(signature)).toBe(true)
  expect(isVoucherOf(config.receiver, voucher, signature)).toBe(false)
  expect(isVoucherOf(account.address, { ...voucher, max: 1n }, signature)).toBe(false)
  expect(isOurs(`${signature.slice(0, 66)}${high}${parity === '1b' ? '1c' : '1b'}`)).toBe(false)
  expect(isOurs(`${signature.slice(0, 130)}0${parity === '1b' ? '0' : '1'}`)).toBe(false)
  expect(isOurs(`0x${'00'.repeat(64)}1b`)).toBe(false)
  expect(isOurs('0x')).toBe(false)
})
