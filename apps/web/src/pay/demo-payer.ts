import type { SiteFacts } from '@farebox/api'
import type { PaymentSigner } from '@farebox/client'
import { parseHex } from './parse-hex.ts'

/** The payer of the devnet, whose key is public. Loads the code that signs only when it is needed. */
export async function openDemoPayer({
  privateKey,
}: NonNullable<SiteFacts['demoPayer']>): Promise<PaymentSigner> {
  const { privateKeyToAccount } = await import('viem/accounts').catch((cause: unknown) => {
    throw new Error('The service cannot be reached.', { cause })
  })
  return privateKeyToAccount(parseHex(privateKey))
}
