import type { PaymentSigner } from '@farebox/client'
import type { VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { connectWallet, findWallet } from '../pay/browser-wallet.ts'
import { openDemoPayer } from '../pay/demo-payer.ts'
import { facts } from '../service/facts.ts'
import type { Sale } from './sale.ts'

type PayButtonsProps = {
  readonly sale: Sale
  readonly onPay: (open: () => Promise<PaymentSigner>) => void
}

/** The ways to pay a quote: the wallet of this browser, or the demo payer of the devnet. */
export function PayButtons({ sale, onPay }: PayButtonsProps): VNode | null {
  const { quote } = sale
  if (quote === undefined) return null
  const price = exactDollars(quote.maximum.usd)
  const { demoPayer, network } = facts
  const wallet = findWallet()
  return (
    <div class="actions">
      {network === 'devnet' && demoPayer && (
        <button
          type="button"
          class="button"
          onClick={() => {
            onPay(async () => await openDemoPayer(demoPayer))
          }}
        >
          Pay {price} of test money
        </button>
      )}
      {wallet && (
        <button
          type="button"
          class={network === 'devnet' ? 'button quiet' : 'button'}
          onClick={() => {
            onPay(async () => await connectWallet(wallet))
          }}
        >
          Pay {price} with your wallet
        </button>
      )}
      {!wallet && network !== 'devnet' && (
        <p>
          This browser has no wallet. Install one that holds USDC on{' '}
          {network === 'base' ? 'Base' : 'Base Sepolia'}, or pay with a client from the home page.
        </p>
      )}
    </div>
  )
}
