import type { Kind, Order, OrderOf } from './order.ts'
import type { Quote } from './sale.ts'

/** A signed order: sent again, even by a page that was reloaded, it gets the answer that it paid for. */
export type SignedOrder<Ordered extends Order = Order> = {
  readonly order: Ordered
  /** The quote that was signed. */
  readonly quote: Quote
  readonly payer: string
  readonly signature: string
  /** The `X-Replay-Secret` of the request. */
  readonly secret: string
}

/** Keeps an order whose answer is not complete, for this tab. A browser that stores nothing loses it with the page. */
export function keepSale(sale: SignedOrder): void {
  withStorage((storage) => {
    storage.setItem(keyOf(sale.order.kind), JSON.stringify(sale))
  })
}

export function forgetSale(kind: Kind): void {
  withStorage((storage) => {
    storage.removeItem(keyOf(kind))
  })
}

/** The order of this kind that an earlier page sent; undefined without one. */
export function keptSale<Asked extends Kind>(kind: Asked): SignedOrder<OrderOf<Asked>> | undefined {
  const text = withStorage((storage) => storage.getItem(keyOf(kind))) ?? null
  if (text === null) return undefined
  return JSON.parse(text) as SignedOrder<OrderOf<Asked>>
}

function keyOf(kind: Kind): string {
  return `farebox-${kind}-sale`
}

/** Some browsers refuse storage to a site, or are out of space. */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(window.sessionStorage)
  } catch {
    return undefined
  }
}
