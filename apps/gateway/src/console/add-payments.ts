import { type LedgerStore, type PaymentRecord, parsePaymentId } from '@farebox/ledger'
import type { PaymentNetwork } from '@farebox/payments'
import type { Express, Request } from 'express'
import { notFound, send, wantsJson } from './page/respond.ts'
import { noteIn } from './page/unread.ts'
import { type PaymentHistory, paymentPage, publicHistory } from './payment-page.ts'
import { paymentsPage } from './payments-page.ts'
import { type ParsedSearch, parseSearch, queryProblem, searchFields, searchForm } from './search.ts'

type Options = {
  readonly store: LedgerStore
  readonly network: PaymentNetwork
  readonly now: () => number
}

/** The pages of payments. */
export function addPayments(app: Express, { store, now, network }: Options): void {
  app.get('/payments', async (request, response) => {
    const form = searchForm(request.query)
    const parsed = parseQuery(request.query, now())
    if (parsed.type === 'payment') {
      response.redirect(303, `/payments/${parsed.id}`)
      return
    }
    if (parsed.type === 'invalid') {
      const { problem } = parsed
      response.status(400)
      if (wantsJson(request)) response.json({ problem })
      else {
        const content = paymentsPage({ form, payments: [], unread: [], problem })
        send(request, response, { title: 'Payments', content })
      }
      return
    }
    const unread: string[] = []
    const payments =
      parsed.type === 'hash'
        ? await paymentsOf(store, parsed.hash)
        : await store.searchPayments(parsed.search, noteIn(unread))
    if (wantsJson(request)) response.json({ payments: payments.map(unsigned), unread })
    else {
      const content = paymentsPage({ form, payments, unread })
      send(request, response, { title: 'Payments', content })
    }
  })
  app.get('/payments/:id', async (request, response) => {
    const history = await historyOf(store, request.params.id)
    if (history === undefined) notFound(request, response, 'No payment has this id.')
    else if (wantsJson(request)) response.json(publicHistory(history))
    else {
      const content = paymentPage(history, network.explorer)
      send(request, response, { title: 'Payment', content })
    }
  })
}

function parseQuery(query: Request['query'], now: number): ParsedSearch {
  const problem = queryProblem(query, searchFields)
  return problem === undefined ? parseSearch(searchForm(query), now) : { type: 'invalid', problem }
}

/** The payments of a transaction, or of the refund with this nonce. */
async function paymentsOf(
  store: LedgerStore,
  hash: `0x${string}`,
): Promise<readonly PaymentRecord[]> {
  const refund = await store.loadRefund(hash)
  if (refund === undefined) return await store.paymentsOfTransaction(hash)
  const payments = await Promise.all(refund.payments.map((id) => store.load(id)))
  return payments.filter((payment) => payment !== undefined)
}

/** Without the signed payload, which could still be sent. */
function unsigned({ payload: _payload, ...record }: PaymentRecord): Omit<PaymentRecord, 'payload'> {
  return record
}

async function historyOf(store: LedgerStore, text: string): Promise<PaymentHistory | undefined> {
  const id = parsePaymentId(text)
  const payment = id && (await store.load(id))
  if (payment === undefined) return undefined
  const nonce = payment.refund?.nonce ?? undefined
  const [entries, transfer] = await Promise.all([
    store.entriesOf(payment.id),
    nonce && store.loadRefund(nonce),
  ])
  const gasOf = async (hash: `0x${string}` | null | undefined) => hash && (await store.gasOf(hash))
  const settlement = (await gasOf(payment.settlement?.transaction)) || undefined
  const refund = (await gasOf(transfer?.proof?.transaction)) || undefined
  return { payment, entries, transfer, gas: { settlement, refund } }
}
