import type { Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
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
  let low: readonly LowBalance[] = []

  return async function checkBalances() {
    if (clock() - checkedAt < intervalMs) return
    checkedAt = clock()
    const held = await chain.balanceOf(asset, treasury)
    const gas = relayer === undefined ? null : await chain.nativeBalanceOf(relayer)
    notify({ type: 'balances_read', treasury: held, relayer: gas })
    const found = [...treasuryLow(held), ...relayerLow(gas)]
    for (const notice of found) notify(notice)
    const types = found.map(({ type }) => type)
    if (low.includes('treasury_low') && !types.includes('treasury_low')) {
      notify({ type: 'treasury_funded' })
    }
    if (low.includes('relayer_low') && !types.includes('relayer_low')) {
      notify({ type: 'relayer_funded' })
    }
    low = types
  }

  function treasuryLow(balance: Usdc) {
    return balance < minTreasury
      ? [{ type: 'treasury_low' as const, balance, minimum: minTreasury }]
      : []
  }

  function relayerLow(balance: bigint | null) {
    return balance !== null && balance < minRelayerWei
      ? [{ type: 'relayer_low' as const, balance, minimum: minRelayerWei }]
      : []
  }
}

type LowBalance = 'treasury_low' | 'relayer_low'
