import type { Observer } from '@farebox/payments'

const reason = 'relayer_empty'

/**
 * Stops sales when the relayer cannot pay for a settlement: otherwise one payer after another would
 * sign and wait until the authorization expires. Sales resume when the relayer was funded, paid for a
 * transaction, or was not low at all, as when many transactions were pending at once.
 */
export function stopWithoutGas(pass: Observer): Observer {
  let isStopped = false
  let isLow = false
  let held: bigint | null = null

  function resume(): void {
    if (!isStopped) return
    isStopped = false
    pass({ type: 'sales_resumed', reason })
  }

  return (notice) => {
    pass(notice)
    if (notice.type === 'payment_unknown' && notice.reason === 'no_gas' && !isStopped) {
      isStopped = true
      pass({ type: 'sales_stopped', reason })
    }
    if (notice.type === 'gas_paid') resume()
    if (notice.type === 'relayer_low') isLow = true
    if (notice.type !== 'balances_read') return
    const isFunded = held !== null && notice.relayer !== null && notice.relayer > held
    if (isFunded || !isLow) resume()
    held = notice.relayer
    // It is reported right after this notice if it is still so.
    isLow = false
  }
}
