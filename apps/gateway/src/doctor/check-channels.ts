import { defaultChannelPolicy, paymentNetwork } from '@farebox/payments'
import {
  type ChannelIdentity,
  createChainReader,
  readChannelIdentity,
  signingAddress,
} from '@farebox/payments/chain'
import { formatEther } from 'viem'
import type { ChainAccess } from '../chain/chain-access.ts'
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
  const codeHash = config.CHANNEL_CODE_HASH
  const identity = await readChannelIdentity({ rpcUrl, network, timeoutMs, codeHash })
  const isUsable = identity.status === 'matches' && relayerKey !== undefined
  if (config.CHANNELS === undefined && !isUsable) return []
  if (identity.status !== 'matches') {
    const fix = 'set CHANNELS=off on this network'
    return [{ verdict: 'wrong', subject, message: problemOf(identity), fix }]
  }
  if (relayerKey === undefined) {
    const message = 'RELAYER_PRIVATE_KEY is not set: nothing could be claimed'
    return [{ verdict: 'wrong', subject, message, fix: 'set it, or CHANNELS=off' }]
  }
  const reader = createChainReader({ rpcUrl, timeoutMs })
  const relayer = signingAddress(relayerKey)
  const [held, price] = await Promise.all([reader.nativeBalanceOf(relayer), reader.gasPrice()])
  const needed = gasOfDay() * price
  const message = `${identity.contract} has the code ${identity.codeHash}; a day of claims takes ${formatEther(needed)} ETH`
  if (held >= needed) return [{ verdict: 'ok', subject, message }]
  const fix = `send ${relayer} at least ${formatEther(needed - held)} ETH`
  return [{ verdict: 'wrong', subject, message, fix }]
}

function problemOf(identity: Exclude<ChannelIdentity, { readonly status: 'matches' }>): string {
  switch (identity.status) {
    case 'missing':
      return `there is no contract at ${identity.address}`
    case 'differs':
      return `the contract at ${identity.contract} expects other signatures`
    case 'other_code':
      return `the contract at ${identity.contract} has the code ${identity.codeHash}, which is not CHANNEL_CODE_HASH`
  }
}

/** Measured for a claim in a batch: 24,061. */
const gasPerClaim = 24_100n
/** Measured for a payment to the treasury: 53,151. */
const gasPerSettle = 53_200n

/** As many claims as all channels together allow at a time, an hour's closings, one payment. */
function gasOfDay(): bigint {
  const { maxUnclaimedTotal, claimAbove, closingGasPerHour } = defaultChannelPolicy
  return (maxUnclaimedTotal / claimAbove) * gasPerClaim + gasPerSettle + closingGasPerHour
}
