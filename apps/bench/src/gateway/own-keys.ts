import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Stage } from './stage.ts'

/**
 * Settings of a further gateway on one chain: one ledger has one treasury, and one relayer sends
 * for one process.
 */
export async function ownKeys({
  devnet,
}: Pick<Stage, 'devnet'>): Promise<Readonly<Record<string, string>>> {
  const [treasury, relayer] = [generatePrivateKey(), generatePrivateKey()]
  await devnet.setEthBalance(privateKeyToAddress(relayer), 10n ** 20n)
  return { TREASURY_PRIVATE_KEY: treasury, RELAYER_PRIVATE_KEY: relayer }
}
