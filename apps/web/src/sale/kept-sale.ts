import type { Kind, Order, OrderOf } from './order.ts'
import type { Quote, Sale } from './sale.ts'

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

export type KeptSale<Ordered extends Order = Order> = {
  readonly signed: SignedOrder<Ordered>
  /** The sale as it was shown last, if it is over. */
  readonly end?: Sale
}

/** Keeps a sale for this tab. A browser that stores nothing loses it with the page. */
export function keepSale(sale: KeptSale): void {
  withStorage((storage) => {
    storage.setItem(keyOf(sale.signed.order.kind), JSON.stringify(sale))
  })
}

/** Keeps how the sale of this kind ended: its answer and its payment. */
export function keepEnd(kind: Kind, end: Sale): void {
  const kept = keptSale(kind)
  if (kept !== undefined) keepSale({ ...kept, end })
}

export function forgetSale(kind: Kind): void {
  withStorage((storage) => {
    storage.removeItem(keyOf(kind))
  })
}

/** Forgets an order that was given up: a page that is loaded again does not send it. An answer stays. */
export function forgetUndecided(kind: Kind): void {
  if (keptSale(kind)?.end === undefined) forgetSale(kind)
}

/** The sale of this kind that an earlier page kept; undefined without one. */
export function keptSale<Asked extends Kind>(kind: Asked): KeptSale<OrderOf<Asked>> | undefined {
  const text = withStorage((storage) => storage.getItem(keyOf(kind))) ?? null
  if (text === null) return undefined
  return JSON.parse(text) as KeptSale<OrderOf<Asked>>
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
