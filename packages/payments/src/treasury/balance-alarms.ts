import type { Hex } from '@farebox/ledger'
import type { PaymentPorts } from '../policy/payment-ports.ts'

const intervalMs = 60_000

type Accounts = {
  readonly asset: Hex
  readonly treasury: Hex
  readonly relayer: Hex | undefined
}

/**
 * Checks once a minute what the treasury and the relayer hold. Reports each time that it is too
 * little, and once when it is enough again.
 */
export function createBalanceAlarms(
  { chain, clock, notify, policy }: PaymentPorts,
  { asset, treasury, relayer }: Accounts,
): () => Promise<void> {
  const { minTreasury, minRelayerWei } = policy
  let checkedAt = Number.NEGATIVE_INFINITY
  const wasLow = { treasury: false, relayer: false }

  return async function checkBalances() {
    if (clock() - checkedAt < intervalMs) return
    checkedAt = clock()
    const held = await chain.balanceOf(asset, treasury)
    const gas = relayer === undefined ? null : await chain.nativeBalanceOf(relayer)
    notify({ type: 'balances_read', treasury: held, relayer: gas })
    if (held < minTreasury) notify({ type: 'treasury_low', balance: held, minimum: minTreasury })
    else if (wasLow.treasury) notify({ type: 'treasury_funded' })
    wasLow.treasury = held < minTreasury
    const isLow = gas !== null && gas < minRelayerWei
    if (isLow) notify({ type: 'relayer_low', balance: gas, minimum: minRelayerWei })
    else if (wasLow.relayer) notify({ type: 'relayer_funded' })
    wasLow.relayer = isLow
  }
}
