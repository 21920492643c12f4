import type { PaymentSigner } from '@farebox/client'
import type { VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { connectWallet } from '../pay/browser-wallet.ts'
import { openDemoPayer } from '../pay/demo-payer.ts'
import { useWallets } from '../pay/use-wallets.ts'
import { facts } from '../service/facts.ts'
import type { Sale } from './sale.ts'

type PayButtonsProps = {
  readonly sale: Sale
  readonly onPay: (open: () => Promise<PaymentSigner>) => void
}

/** The ways to pay a quote: the wallets of this browser, or the demo payer of the devnet. */
export function PayButtons({ sale, onPay }: PayButtonsProps): VNode | null {
  const { quote } = sale
  const wallets = useWallets()
  if (quote === undefined) return null
  const price = exactDollars(quote.maximum.usd)
  const { demoPayer, network } = facts
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
      {wallets.map(({ id, name, wallet }) => (
        <button
          key={id}
          type="button"
          class={network === 'devnet' ? 'button quiet' : 'button'}
          onClick={() => {
            onPay(async () => await connectWallet(wallet))
          }}
        >
          Pay {price} with {name}
        </button>
      ))}
      {wallets.length === 0 && network !== 'devnet' && (
        <p>
          This browser has no wallet. Install one and send it USDC on{' '}
          {network === 'base' ? 'Base' : 'Base Sepolia'}, or pay with a client from the home page.
        </p>
      )}
    </div>
  )
}
