import type { PaymentSigner } from '@farebox/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { watchPayment } from '../pay/watch-payment.ts'
import { askPrice } from './ask-price.ts'
import { buyAnswer, type Update } from './buy-answer.ts'
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

/** One sale at a time: its state, and what a visitor can do with it. */
export function useSale(): SaleControls {
  const [sale, setSale] = useState<Sale>(newSale)
  const running = useRef(new AbortController())
  const watched = useRef<string | undefined>(undefined)
  useEffect(
    () => () => {
      running.current.abort()
      watched.current = undefined
    },
    [],
  )

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
  return {
    sale,
    reset: () => {
      if (sale.stage !== 'asking') setSale(newSale)
    },
    stop: () => {
      running.current.abort()
    },
    ask: async (order) => {
      setSale({ ...newSale, stage: 'pricing' })
      await askPrice(order).then(setSale, fail)
    },
    buy: async (order, open) => {
      const { required, quote } = sale
      if (required === undefined || quote === undefined) return
      running.current = new AbortController()
      const { signal } = running.current
      update({ stage: 'signing' })
      const parts = { order, required, quote, signal, update, onPayment: watch }
      await open()
        .then((payer) => buyAnswer({ ...parts, payer }))
        .catch(fail)
    },
  }
}
