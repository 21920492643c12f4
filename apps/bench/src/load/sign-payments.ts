import { randomBytes } from 'node:crypto'
import type { DevnetAccount } from '@farebox/devnet'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { encodePayment } from './encode-payment.ts'

/** What a 402 offers, in the fields that a signature needs. */
export type Offered = {
  readonly resource: object
  readonly accepted: {
    readonly scheme: 'exact' | 'batch-settlement'
    readonly network: `${string}:${string}`
    readonly asset: Hex
    readonly payTo: Hex
    readonly amount: string
    readonly maxTimeoutSeconds: number
    readonly extra: { readonly name: string; readonly version: string }
  }
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** Reads the offer of a scheme in the header of a 402. */
export function readOffer(header: string, wanted: Offered['accepted']['scheme']): Offered {
  const { resource, accepts } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly resource: object
    readonly accepts: readonly Offered['accepted'][]
  }
  const accepted = accepts.find(({ scheme }) => scheme === wanted)
  if (accepted === undefined) throw new Error(`The 402 does not offer ${wanted}`)
  return { resource, accepted }
}

/** Signs this many payments of an offer, by the payers in turn; each is the value of a header. */
export async function signPayments(
  offer: Offered,
  payers: readonly DevnetAccount[],
  count: number,
): Promise<readonly string[]> {
  const accounts = payers.map(({ privateKey }) => privateKeyToAccount(privateKey))
  const signed: string[] = []
  for (let index = 0; index < count; index += 1) {
    const account = accounts[index % accounts.length]
    if (account === undefined) throw new RangeError('No payer was given')
    signed.push(await signPayment(offer, account))
  }
  return signed
}

async function signPayment(
  offer: Offered,
  account: ReturnType<typeof privateKeyToAccount>,
): Promise<string> {
  const { network, asset, payTo, amount, extra } = offer.accepted
  const authorization = {
    from: account.address,
    to: payTo,
    value: amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + 240),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  } as const
  const signature = await account.signTypedData({
    domain: {
      name: extra.name,
      version: extra.version,
      chainId: Number(network.split(':')[1]),
      verifyingContract: asset,
    },
    types,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(amount),
      validAfter: 0n,
      validBefore: BigInt(authorization.validBefore),
    },
  })
  return encodePayment(offer, { signature, authorization })
}
