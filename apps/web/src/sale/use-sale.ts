import type { PaymentSigner } from '@farebox/client'
import { useEffect, useState } from 'preact/hooks'
import { askPrice } from './ask-price.ts'
import { buyAnswer, fetchAnswer } from './buy-answer.ts'
import { forgetSale, type SignedOrder } from './kept-sale.ts'
import type { Order } from './order.ts'
import { problemOf } from './problem-of.ts'
import { newSale, type Sale } from './sale.ts'
import { useRuns } from './use-runs.ts'

export type SaleControls = {
  readonly sale: Sale
  readonly ask: (order: Order) => Promise<void>
  /** Opens the payer, which may ask its owner, and buys the answer. */
  readonly buy: (order: Order, open: () => Promise<PaymentSigner>) => Promise<void>
  /** Stops waiting for a signature. One that arrives later is not sent. */
  readonly cancel: () => void
  readonly stop: () => void
  /** Forgets the price. An order that was signed stays until the next price is asked. */
  readonly reset: () => void
}

/** One sale at a time: its state, and what a visitor can do with it. Continues the sale that was kept. */
export function useSale(kind: Order['kind'], kept: SignedOrder | undefined): SaleControls {
  const [sale, setSale] = useState<Sale>(kept === undefined ? newSale : continued(kept))
  const { run, stop, supersede } = useRuns((change) => {
    setSale((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) }))
  })
  useEffect(() => {
    if (kept) run((watcher) => fetchAnswer(kept, watcher))
    return supersede
  }, [])
  return {
    sale,
    reset: () => {
      if (sale.payer === undefined) setSale(newSale)
    },
    cancel: () => {
      supersede()
      setSale({ ...sale, stage: 'priced' })
    },
    stop: () => {
      forgetSale(kind)
      stop()
    },
    ask: async (order) => {
      forgetSale(kind)
      supersede()
      setSale({ ...newSale, stage: 'pricing' })
      const failed = (error: unknown): Sale => ({
        ...newSale,
        stage: 'failed',
        problem: problemOf(error),
      })
      setSale(await askPrice(order).catch(failed))
    },
    buy: async (order, open) => {
      const { required, quote } = sale
      if (required === undefined || quote === undefined) return
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
