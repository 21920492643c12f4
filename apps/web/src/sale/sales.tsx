import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { Kind } from './order.ts'
import type { Sale } from './sale.ts'
import { type SaleControls, useSale } from './use-sale.ts'

type Sales = { readonly [Asked in Kind]: SaleControls<Asked> }

const SalesContext = createContext<Sales | undefined>(undefined)

/** The sales of a visit, which continue and keep their answers while other pages are shown. */
export function SalesProvider({ children }: { readonly children: ComponentChildren }): VNode {
  const sales = { chat: useSale('chat'), image: useSale('image') }
  useQuestionBeforeLeaving([sales.chat.sale, sales.image.sale])
  return <SalesContext.Provider value={sales}>{children}</SalesContext.Provider>
}

/** The browser asks, in its own words, before the site is left while an answer is paid and not complete. */
function useQuestionBeforeLeaving(sales: readonly Sale[]): void {
  const asks = sales.some(({ stage }) => stage === 'paying' || stage === 'answering')
  useEffect(() => {
    if (!asks) return
    const ask = (event: Event): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => {
      window.removeEventListener('beforeunload', ask)
    }
  }, [asks])
}

/** The sale of this kind, for the page that shows it. */
export function useShownSale<Asked extends Kind>(kind: Asked): SaleControls<Asked> {
  const sales = useContext(SalesContext)
  if (sales === undefined) throw new Error('There is no SalesProvider around this page.')
  const controls = sales[kind]
  const latest = useRef(controls)
  latest.current = controls
  useEffect(() => () => latest.current.leave(), [])
  return controls
}
