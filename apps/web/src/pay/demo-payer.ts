import type { SiteFacts } from '@farebox/api'
import type { Payer } from './authorization.ts'

type Hex = `0x${string}`

/** The payer of the devnet, whose key is public. Loads the code that signs only when it is needed. */
export async function openDemoPayer({
  privateKey,
}: NonNullable<SiteFacts['demoPayer']>): Promise<Payer> {
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(privateKey as Hex)
  return {
    address: account.address,
    sign: async ({ message, ...data }) =>
      await account.signTypedData({
        ...data,
        message: {
          ...message,
          value: BigInt(message.value),
          validAfter: BigInt(message.validAfter),
          validBefore: BigInt(message.validBefore),
        },
      }),
  }
}
