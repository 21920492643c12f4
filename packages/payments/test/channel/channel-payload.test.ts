import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depositCollector } from '../../src/chain/addresses.ts'
import { readChannelPayload } from '../../src/channel/channel-payload.ts'
import { network } from '../support/pay.ts'

const address = `0x${'Ab'.repeat(20)}`
const word = `0x${'cD'.repeat(32)}`
const channelConfig = {
  payer: address,
  payerAuthorizer: address,
  receiver: address,
  receiverAuthorizer: address,
  token: address,
  withdrawDelay: 86_400,
  salt: word,
}
const voucher = { channelId: word, maxClaimableAmount: '1000', signature: `0x${'Ef'.repeat(65)}` }
const signed = { validAfter: '0', validBefore: '99', salt: word, signature: '0xAB' }
const deposit = { amount: '5000', authorization: { erc3009Authorization: signed } }

test('a deposit is read in canonical form, as a transfer to the collector', () => {
  const read = readChannelPayload({ type: 'deposit', channelConfig, voucher, deposit }, network)
  expect(read).toMatchObject({
    status: 'read',
    payload: {
      channelId: word.toLowerCase(),
      config: { payer: address.toLowerCase(), withdrawDelay: 86_400 },
      voucher: { max: 1_000n, signature: `0x${'ef'.repeat(65)}` },
      deposit: {
        authorization: { from: address.toLowerCase(), to: depositCollector, value: 5_000n },
        signature: '0xab',
      },
    },
  })
})

test('a refund may ask for all or for an amount', () => {
  const refund = { type: 'refund', channelConfig, voucher }
  expect(readChannelPayload(refund, network)).toMatchObject({ payload: { amount: null } })
  const part = { ...refund, amount: '7' }
  expect(readChannelPayload(part, network)).toMatchObject({ payload: { amount: 7n } })
  expect(readChannelPayload({ ...refund, amount: '-7' }, network).status).toBe('malformed')
})

const forms: Readonly<Record<string, string>> = {
  withdrawDelay: 'seconds as a whole number',
  salt: '32 bytes in hexadecimal with 0x',
}

test.each(Object.keys(channelConfig))('a configuration without %s is malformed', (name) => {
  const config = { ...channelConfig, [name]: undefined }
  const read = readChannelPayload({ type: 'voucher', channelConfig: config, voucher }, network)
  expect(read).toEqual({
    status: 'malformed',
    message: `payload.channelConfig.${name}: must be ${forms[name] ?? 'an address with 0x'}`,
  })
})

test('a deposit by Permit2 is malformed', () => {
  const permit = { amount: '5000', authorization: { permit2Authorization: {} } }
  const payload = { type: 'deposit', channelConfig, voucher, deposit: permit }
  expect(readChannelPayload(payload, network)).toMatchObject({ status: 'malformed' })
})

test('an amount that the ledger cannot hold is malformed', () => {
  const huge = { ...voucher, maxClaimableAmount: (2n ** 63n).toString() }
  const read = readChannelPayload({ type: 'voucher', channelConfig, voucher: huge }, network)
  expect(read).toMatchObject({ message: expect.stringContaining('maxClaimableAmount') })
})

test('nothing makes it throw', () => {
  const fields = { channelConfig, voucher, deposit }
  fc.assert(
    fc.property(
      fc.constantFrom('voucher', 'deposit', 'refund', 'other'),
      fc.dictionary(fc.constantFrom(...Object.keys(fields), 'amount'), fc.anything()),
      (type, changes) => {
        expect(readChannelPayload({ type, ...fields, ...changes }, network).status).toMatch(
          /^(read|malformed)$/,
        )
      },
    ),
    { numRuns: 200 },
  )
})
