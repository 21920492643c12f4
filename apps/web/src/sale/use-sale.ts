import type { PaymentSigner } from '@farebox/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { watchPayment } from '../pay/watch-payment.ts'
import { askPrice } from './ask-price.ts'
import { buyAnswer, fetchAnswer, type Update } from './buy-answer.ts'
import { forgetSale, type SignedOrder } from './kept-sale.ts'
import type { Order } from './order.ts'
import { problemOf } from './problem-of.ts'
import { newSale, type Sale } from './sale.ts'

export type SaleControls = {
  readonly sale: Sale
  readonly ask: (order: Order) => Promise<void>
  /** Opens the payer, which may ask its owner, and buys the answer. */
  readonly buy: (order: Order, open: () => Promise<PaymentSigner>) => Promise<void>
  readonly stop: () => void
  readonly reset: () => void
}

/** One sale at a time: its state, and what a visitor can do with it. Continues the sale that was kept. */
export function useSale(kind: Order['kind'], kept: SignedOrder | undefined): SaleControls {
  const [sale, setSale] = useState<Sale>(kept === undefined ? newSale : continued(kept))
  const running = useRef(new AbortController())
  const watched = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (kept) fetchAnswer(kept, watcher()).catch(fail)
    return () => {
      running.current.abort()
      watched.current = undefined
    }
  }, [])

  const update: Update = (change) => {
    setSale((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) }))
  }
  const watch = (id: string): void => {
    if (watched.current === id) return
    watched.current = id
    const superseded = new AbortController()
    watchPayment(id, superseded.signal, (payment) => {
      if (watched.current === id) update({ payment })
      else superseded.abort()
    }).catch(() => undefined)
  }
  const fail = (error: unknown): void => {
    update({ stage: 'failed', problem: problemOf(error) })
  }
  const watcher = () => {
    running.current = new AbortController()
    return { signal: running.current.signal, update, onPayment: watch }
  }
  return {
    sale,
    reset: () => {
      if (sale.stage !== 'asking') setSale(newSale)
    },
    stop: () => {
      forgetSale(kind)
      running.current.abort()
    },
    ask: async (order) => {
      forgetSale(kind)
      setSale({ ...newSale, stage: 'pricing' })
      await askPrice(order).then(setSale, fail)
    },
    buy: async (order, open) => {
      const { required, quote } = sale
      if (required === undefined || quote === undefined) return
      update({ stage: 'signing' })
      const parts = { order, required, quote, ...watcher() }
      await open()
        .then((payer) => buyAnswer({ ...parts, payer }))
        .catch(fail)
    },
  }
}

/** A sale of a page that was left: its order is signed and may have been sent. */
function continued({ quote, payer }: SignedOrder): Sale {
  return { ...newSale, stage: 'paying', quote, payer }
}
