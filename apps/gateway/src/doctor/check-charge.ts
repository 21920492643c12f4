import { atomicUsdc, formatUsdc, type Usdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'
import { createChainReader, readDataFee } from '@farebox/payments/chain'
import type { ChainAccess } from '../compose/chain-access.ts'
import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

/** Gas of a settlement and a refund on FiatTokenV2_2: in full groups, and each by itself. */
const groupedGas = 55_000n + 48_615n
const loneGas = 85_000n + 85_692n
/** Bytes of the same transactions without their signatures; in a group, of their part. */
const groupedBytes = 2 * 480
const loneBytes = 2 * 400
/** Rough, as for the smallest refund: no oracle is asked. */
const dollarsPerEther = 3_000n

/**
 * Compares the minimum charge with what the relayer pays for a call and its refund: gas at the node's
 * price, and the fee of their data, which Base adds. Gas on the devnet, and that of a facilitator, costs
 * the operator nothing.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function checkCharge(
  { NETWORK, MIN_CHARGE_USDC: charge }: Pick<Config, 'NETWORK' | 'MIN_CHARGE_USDC'>,
  { rpcUrl, relayerKey }: Pick<ChainAccess, 'rpcUrl' | 'relayerKey'>,
): Promise<readonly Finding[]> {
  if (paymentNetwork(NETWORK).name === 'devnet' || relayerKey === undefined) return []
  const node = { rpcUrl, timeoutMs: 10_000 }
  const gasPrice = await createChainReader(node).gasPrice()
  const grouped = groupedGas * gasPrice + (await readDataFee(node, groupedBytes))
  const alone = loneGas * gasPrice + (await readDataFee(node, loneBytes))
  return chargeFindings(charge, { grouped, alone })
}

/** What to say about a minimum charge when a call and its refund cost so many wei. */
export function chargeFindings(
  charge: Usdc,
  wei: { readonly grouped: bigint; readonly alone: bigint },
): readonly Finding[] {
  const [grouped, alone] = [costOf(wei.grouped), costOf(wei.alone)]
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

/** An amount of wei, rounded up: wei × dollars per ether is 1e-18 dollars, an atomic unit 1e-6. */
function costOf(wei: bigint): Usdc {
  const unit = 1_000_000_000_000n
  return atomicUsdc((wei * dollarsPerEther + unit - 1n) / unit)
}
