import type { Hex } from '@farebox/ledger'
import type { PaymentPorts } from '../policy/payment-ports.ts'

const intervalMs = 60_000

type Accounts = {
  readonly asset: Hex
  readonly treasury: Hex
  readonly relayer: Hex | undefined
}

/** Checks once a minute what the treasury and the relayer hold, and reports it each time it is too little. */
export function createBalanceAlarms(
  { chain, clock, notify, policy }: PaymentPorts,
  { asset, treasury, relayer }: Accounts,
): () => Promise<void> {
  const { leastTreasury, leastRelayerWei } = policy
  let checkedAt = Number.NEGATIVE_INFINITY

  return async function checkBalances() {
    if (clock() - checkedAt < intervalMs) return
    checkedAt = clock()
    const held = await chain.balanceOf(asset, treasury)
    if (held < leastTreasury) {
      notify({ type: 'treasury_low', balance: held, minimum: leastTreasury })
    }
    if (relayer === undefined) return
    const gas = await chain.nativeBalanceOf(relayer)
    if (gas < leastRelayerWei)
      notify({ type: 'relayer_low', balance: gas, minimum: leastRelayerWei })
  }
}
