import type { DevnetAccount } from '@farebox/devnet'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import type { Attacked } from './attacked-gateway.ts'

/** A client that pays from a channel and in no other way. */
export function channelClient(
  { devnet }: Pick<Attacked, 'devnet'>,
  { privateKey }: DevnetAccount,
): typeof fetch {
  const chain = createPublicClient({ chain: baseSepolia, transport: http(devnet.rpcUrl) })
  const signer = toClientEvmSigner(privateKeyToAccount(privateKey), chain)
  const scheme = new BatchSettlementEvmScheme(signer)
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:84532', scheme))
}
