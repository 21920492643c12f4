import { defaultChannelPolicy, paymentNetwork } from '@farebox/payments'
import { createChainReader, readChannelIdentity, signingAddress } from '@farebox/payments/chain'
import { formatEther } from 'viem'
import type { ChainAccess } from '../compose/chain-access.ts'
import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

const subject = 'channels'
const timeoutMs = 10_000

/** Checks the contracts of payment channels, and the relayer's gas for a day of claims. */
export async function checkChannels(
  config: Config,
  { rpcUrl, relayerKey }: Pick<ChainAccess, 'rpcUrl' | 'relayerKey'>,
): Promise<readonly Finding[]> {
  if (config.CHANNELS === 'off') return []
  const network = paymentNetwork(config.NETWORK)
  const identity = await readChannelIdentity({ rpcUrl, network, timeoutMs })
  const isUsable = identity.status === 'matches' && relayerKey !== undefined
  if (config.CHANNELS === undefined && !isUsable) return []
  if (identity.status !== 'matches') {
    const message =
      identity.status === 'missing'
        ? `there is no contract at ${identity.address}`
        : `the contract at ${identity.contract} expects other signatures`
    return [{ verdict: 'wrong', subject, message, fix: 'set CHANNELS=off on this network' }]
  }
  if (relayerKey === undefined) {
    const message = 'RELAYER_PRIVATE_KEY is not set: nothing could be claimed'
    return [{ verdict: 'wrong', subject, message, fix: 'set it, or CHANNELS=off' }]
  }
  const reader = createChainReader({ rpcUrl, timeoutMs })
  const relayer = signingAddress(relayerKey)
  const [held, price] = await Promise.all([reader.nativeBalanceOf(relayer), reader.gasPrice()])
  const needed = gasOfDay() * price
  const message = `${identity.contract} is the contract; a day of claims takes ${formatEther(needed)} ETH`
  if (held >= needed) return [{ verdict: 'ok', subject, message }]
  const fix = `send ${relayer} at least ${formatEther(needed - held)} ETH`
  return [{ verdict: 'wrong', subject, message, fix }]
}

/** Measured: 24,061 gas a claim in a batch, 53,151 a payment to the treasury. */
const [gasPerClaim, gasPerSettle] = [24_100n, 53_200n]

/** As many claims as all channels together allow at a time, an hour's closings, one payment. */
function gasOfDay(): bigint {
  const { mostUnclaimedInAll, claimAbove, closingGasPerHour } = defaultChannelPolicy
  return (mostUnclaimedInAll / claimAbove) * gasPerClaim + gasPerSettle + closingGasPerHour
}
