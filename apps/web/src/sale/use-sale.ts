import type { PaymentSigner } from '@farebox/client'
import { useEffect, useState } from 'preact/hooks'
import { askPrice } from './ask-price.ts'
import { buyAnswer, fetchAnswer, type Watcher } from './buy-answer.ts'
import { forgetUndecided, type KeptSale, keepEnd, keptSale } from './kept-sale.ts'
import type { Kind, OrderOf } from './order.ts'
import { hasAnswer, isUndecided, newSale, type Sale } from './sale.ts'
import { useRuns } from './use-runs.ts'

export type SaleControls<Asked extends Kind> = {
  readonly sale: Sale
  /** The last sale with an answer before this one. */
  readonly earlier: Sale | undefined
  /** The order whose price was asked last. */
  readonly asked: OrderOf<Asked> | undefined
  readonly ask: (order: OrderOf<Asked>) => void
  /** Opens the payer, which may ask its owner, and buys the order whose price is shown. */
  readonly buy: (open: () => Promise<PaymentSigner>) => void
  /** Stops waiting for a signature. One that arrives later is not sent. */
  readonly cancel: () => void
  readonly stop: () => void
  /** Sends the signed order again; only while it has failed and is not decided. */
  readonly sendAgain: (() => void) | undefined
  /** Forgets the price. An order that was signed stays until the next price is asked. */
  readonly reset: () => void
  /** The same when its page is left; a price or signature that arrives later is not used. */
  readonly leave: () => void
}

/**
 * One sale at a time: its state, and what a visitor can do with it. A page that was loaded again continues
 * the sale that was kept, or shows its end.
 */
export function useSale<Asked extends Kind>(kind: Asked): SaleControls<Asked> {
  const [kept] = useState(() => keptSale(kind))
  const [asked, setAsked] = useState(kept?.signed.order)
  const [earlier, setEarlier] = useState<Sale>()
  const [sale, setSale] = useState<Sale>(kept === undefined ? newSale : continued(kept))
  const { run, stop, supersede } = useRuns((change) => {
    setSale((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) }))
  })
  useEffect(() => {
    if (kept) run((watcher) => resume(kept, watcher))
  }, [])
  useEffect(() => {
    if (sale.isOver) keepEnd(kind, sale)
  }, [sale])
  const reset = (): void => {
    setSale((now) => (now.payer === undefined ? newSale : now))
  }
  const undecided = isUndecided(sale) ? keptSale(kind) : undefined
  return {
    sale,
    earlier,
    asked,
    reset,
    leave: () => {
      if (sale.payer === undefined) supersede()
      reset()
    },
    cancel: () => {
      supersede()
      setSale({ ...sale, stage: 'priced' })
    },
    stop: () => {
      setSale((now) => ({ ...now, isOver: true }))
      stop()
    },
    sendAgain:
      undecided &&
      (() => {
        const { problem: _, ...rest } = sale
        setSale(rest)
        run((watcher) => resume(undecided, watcher))
      }),
    ask: (order) => {
      if (hasAnswer(sale)) setEarlier(sale)
      forgetUndecided(kind)
      setAsked(order)
      supersede()
      setSale({ ...newSale, stage: 'pricing' })
      run(async ({ update }) => update(await askPrice(order)))
    },
    buy: (open) => {
      const { required, quote } = sale
      if (asked === undefined || required === undefined || quote === undefined) return
      run(async (watcher) => {
        watcher.update({ stage: 'signing' })
        await buyAnswer({ order: asked, required, quote, ...watcher, payer: await open() })
      })
    },
  }
}

/** A sale of a page that was left: its order is signed and may have been sent. */
function continued({ signed: { quote, payer }, end }: KeptSale): Sale {
  return end ?? { ...newSale, stage: 'paying', quote, payer }
}

/** A sale that is over may still wait for its refund. */
async function resume({ signed, end }: KeptSale, watcher: Watcher): Promise<void> {
  if (end === undefined) return await fetchAnswer(signed, watcher, 'seen')
  if (end.payment !== undefined) watcher.onPayment(end.payment.id)
}
