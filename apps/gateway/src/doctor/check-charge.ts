import { formatUsdc, type Usdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'
import { createChainReader, readDataFee } from '@farebox/payments/chain'
import type { ChainAccess } from '../chain/chain-access.ts'
import { usdcOfWei } from '../chain/usdc-of-wei.ts'
import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

/** Gas of a settlement and a refund on FiatTokenV2_2: in full groups, and each by itself. */
const groupedGas = 55_000n + 48_615n
const loneGas = 85_000n + 85_692n
/** Bytes of the same transactions without their signatures; in a group, of their part. */
const groupedBytes = 2 * 480
const loneBytes = 2 * 400

type ChargeConfig = Pick<Config, 'NETWORK' | 'MIN_CHARGE_USDC' | 'USD_PER_ETH'>

/**
 * Compares the minimum charge with what the relayer pays for a call and its refund: gas at the
 * node's price, and the fee of their data, which Base adds. Gas on the devnet, and that of a
 * facilitator, costs the operator nothing.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function checkCharge(
  { NETWORK, MIN_CHARGE_USDC, USD_PER_ETH }: ChargeConfig,
  { rpcUrl, relayerKey }: Pick<ChainAccess, 'rpcUrl' | 'relayerKey'>,
): Promise<readonly Finding[]> {
  if (paymentNetwork(NETWORK).name === 'devnet' || relayerKey === undefined) return []
  const node = { rpcUrl, timeoutMs: 10_000 }
  const gasPrice = await createChainReader(node).gasPrice()
  const grouped = groupedGas * gasPrice + (await readDataFee(node, groupedBytes))
  const alone = loneGas * gasPrice + (await readDataFee(node, loneBytes))
  const dollars = BigInt(USD_PER_ETH)
  return chargeFindings(MIN_CHARGE_USDC, {
    grouped: usdcOfWei(grouped, dollars),
    alone: usdcOfWei(alone, dollars),
  })
}

/** The finding about a minimum charge, given the gas cost of a call and its refund. */
export function chargeFindings(
  charge: Usdc,
  { grouped, alone }: { readonly grouped: Usdc; readonly alone: Usdc },
): readonly Finding[] {
  const subject = 'charge'
  const costs = `gas for a call and its refund costs about ${formatUsdc(alone)} USDC, ${formatUsdc(grouped)} in full groups`
  if (charge >= alone) {
    const message = `MIN_CHARGE_USDC is ${formatUsdc(charge)}; ${costs}`
    return [{ verdict: 'ok', subject, message }]
  }
  const message = `MIN_CHARGE_USDC is ${formatUsdc(charge)}, but ${costs}: the smallest calls are sold at a loss`
  const fix = `set MIN_CHARGE_USDC to ${formatUsdc(alone)} or more, or raise the markup`
  return [{ verdict: 'note', subject, message, fix }]
}
