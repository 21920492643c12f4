import { parseAtomicUsdc } from '@farebox/money'
import { decodePaymentSignatureHeader } from '@x402/core/http'
import { getDefaultAsset } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { paymentNetworks } from '../../src/pay/payment-network.ts'
import { createPaymentSigner } from '../../src/pay/sign-payment.ts'
import type { PaymentSigner, TypedData } from '../../src/wallet/payment-signer.ts'
import { createWallet } from '../../src/wallet/wallet.ts'

const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const networks = Object.values(paymentNetworks)

/** A signer that keeps what it is asked to sign. */
function recorder(): PaymentSigner & { readonly asked: TypedData[] } {
  const asked: TypedData[] = []
  const sign = account.signTypedData as PaymentSigner['signTypedData']
  return {
    address: account.address,
    asked,
    signTypedData: async (data) => {
      asked.push(data)
      return await sign(data)
    },
  }
}

const lowerCase = (data: TypedData | undefined): unknown =>
  JSON.parse(
    JSON.stringify(data, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    ).toLowerCase(),
  )

test.each(networks)('on $name it signs what the stock scheme signs', async (network) => {
  const accepted = {
    scheme: 'exact',
    network: network.id as `eip155:${number}`,
    asset: network.usdc,
    amount: '1234',
    payTo: '0xbeAf247aD6fB7b191650ff70dC98c4Cceda43B6d',
    maxTimeoutSeconds: 300,
    extra: { ...network.domain },
  }
  const stock = recorder()
  const stockPayload = await new ExactEvmScheme(stock).createPaymentPayload(2, accepted)

  const ours = recorder()
  const stated = stockPayload.payload['authorization'] as Record<string, string>
  const now = (Number(stated['validBefore']) - 300) * 1_000
  const challenge = { resource: { url: 'u' }, extensions: undefined, accepts: [accepted] }
  const header = await createPaymentSigner(
    createWallet(ours, 1_000),
    () => now,
  )({ amount: parseAtomicUsdc('1234'), network, accepted, challenge })

  const { payload, x402Version, ...rest } = decodePaymentSignatureHeader(header)
  expect(x402Version).toBe(2)
  expect(rest).toEqual({ accepted, resource: { url: 'u' } })
  const authorization = payload['authorization'] as Record<string, string>
  expect(authorization).toEqual({ ...stated, nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  expect(authorization['nonce']).not.toBe(stated['nonce'])
  const sameNonce = { ...ours.asked[0]?.message, nonce: stated['nonce'] }
  expect(lowerCase({ ...(ours.asked[0] as TypedData), message: sameNonce })).toEqual(
    lowerCase(stock.asked[0]),
  )
})

test.each(networks)('the USDC of $name is the one that x402 names', (network) => {
  const { asset, name, version } = getDefaultAsset(network.id as `eip155:${number}`)
  expect(network).toMatchObject({ usdc: asset.toLowerCase(), domain: { name, version } })
})

test.each([
  [new Error('AccessDenied: kms:Sign\n\nURL: http://node/key'), ': AccessDenied: kms:Sign'],
  [new Error('User rejected the request.'), ': User rejected the request.'],
  ['declined', '.'],
])('a signer that throws %o is quoted, in its first line', async (thrown: unknown, ending) => {
  const signer = { address: account.address, signTypedData: async () => Promise.reject(thrown) }
  const signing = createWallet(signer, 1_000).sign({} as TypedData, undefined)
  await expect(signing).rejects.toMatchObject({
    code: 'no_acceptable_payment',
    message: `The payment could not be signed${ending}`,
    cause: thrown,
  })
})
