import type { PaymentSigner } from '@farebox/client'
import { useEffect, useState } from 'preact/hooks'
import { askPrice } from './ask-price.ts'
import { buyAnswer, fetchAnswer } from './buy-answer.ts'
import { forgetSale, keptSale, type SignedOrder } from './kept-sale.ts'
import type { Kind, OrderOf } from './order.ts'
import { newSale, type Sale } from './sale.ts'
import { useRuns } from './use-runs.ts'

export type SaleControls<Asked extends Kind> = {
  readonly sale: Sale
  /** What was last to be paid for. */
  readonly asked: OrderOf<Asked> | undefined
  readonly ask: (order: OrderOf<Asked>) => void
  /** Opens the payer, which may ask its owner, and buys the answer. */
  readonly buy: (order: OrderOf<Asked>, open: () => Promise<PaymentSigner>) => void
  /** Stops waiting for a signature. One that arrives later is not sent. */
  readonly cancel: () => void
  readonly stop: () => void
  /** Forgets the price. An order that was signed stays until the next price is asked. */
  readonly reset: () => void
  /** The same when its page is left; a price or signature that arrives later is not used. */
  readonly leave: () => void
}

/** One sale at a time: its state, and what a visitor can do with it. Continues the sale that was kept. */
export function useSale<Asked extends Kind>(kind: Asked): SaleControls<Asked> {
  const [kept] = useState(() => keptSale(kind))
  const [asked, setAsked] = useState(kept?.order)
  const [sale, setSale] = useState<Sale>(kept === undefined ? newSale : continued(kept))
  const { run, stop, supersede } = useRuns((change) => {
    setSale((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) }))
  })
  useEffect(() => {
    if (kept) run((watcher) => fetchAnswer(kept, watcher))
  }, [])
  const reset = (): void => {
    setSale((now) => (now.payer === undefined ? newSale : now))
  }
  return {
    sale,
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
      forgetSale(kind)
      stop()
    },
    ask: (order) => {
      forgetSale(kind)
      supersede()
      setSale({ ...newSale, stage: 'pricing' })
      run(async ({ update }) => update(await askPrice(order)))
    },
    buy: (order, open) => {
      const { required, quote } = sale
      if (required === undefined || quote === undefined) return
      setAsked(order)
      run(async (watcher) => {
        watcher.update({ stage: 'signing' })
        await buyAnswer({ order, required, quote, ...watcher, payer: await open() })
      })
    },
  }
}

/** A sale of a page that was left: its order is signed and may have been sent. */
function continued({ quote, payer }: SignedOrder): Sale {
  return { ...newSale, stage: 'paying', quote, payer }
}
