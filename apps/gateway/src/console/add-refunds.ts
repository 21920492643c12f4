import { type LedgerStore, pendingRefundStatuses, type RefundSearch } from '@farebox/ledger'
import type { Express, Request } from 'express'
import { decideRefund, type RefundVerb } from './decide-refund.ts'
import { notFound, refuse, send, wantsJson } from './page/respond.ts'
import { noteIn } from './page/unread.ts'
import { confirmPage, decidedPage, refundsPage } from './refunds-page.ts'
import { pageSize, queryProblem, wrongPage } from './search.ts'

type Options = { readonly store: LedgerStore }

/** The pages of refunds, and what an operator decides about them. */
export function addRefunds(app: Express, { store }: Options): void {
  app.get('/refunds', async (request, response) => {
    const { status = 'blocked', after } = request.query
    const chosen = pendingRefundStatuses.find((one) => one === status)
    const cursor = refundCursor(after)
    const problem = queryProblem(request.query, ['status', 'after'])
    if (problem !== undefined || chosen === undefined || cursor === null) {
      const statuses = `Status: choose one of ${pendingRefundStatuses.join(', ')}.`
      const wrong = chosen === undefined ? statuses : wrongPage
      refuse(request, response, { title: 'Refunds', problem: problem ?? wrong })
      return
    }
    const search = { status: chosen, after: cursor, limit: pageSize }
    const unread: string[] = []
    const [refunds, totals] = await Promise.all([
      store.searchRefunds(search, noteIn(unread)),
      store.pendingRefundTotals(),
    ])
    if (wantsJson(request)) {
      const listed = refunds.map(({ signature: _signature, ...refund }) => refund)
      response.json({ status: chosen, totals, refunds: listed, unread })
      return
    }
    const content = refundsPage({ status: chosen, totals, refunds, unread })
    send(request, response, { title: 'Refunds', content })
  })
  app.get('/refunds/:nonce/:verb', async (request, response) => {
    const decision = decisionOf(request)
    const refund = decision && (await store.loadRefund(decision.nonce))
    if (decision === undefined || refund === undefined) {
      notFound(request, response, 'No refund has this nonce.')
      return
    }
    const title = decision.verb === 'retry' ? 'Retry a refund' : 'Write off a refund'
    send(request, response, { title, content: confirmPage(decision.verb, refund) })
  })
  app.post('/refunds/:nonce/:verb', async (request, response) => {
    const decision = decisionOf(request)
    if (decision === undefined) {
      notFound(request, response, 'No refund has this nonce.')
      return
    }
    const { isAccepted, message } = await decideRefund(store, decision.verb, decision.nonce)
    response.status(isAccepted ? 200 : 409)
    if (wantsJson(request)) response.json({ isAccepted, message })
    else send(request, response, { title: 'Refunds', content: decidedPage(message) })
  })
}

function refundCursor(after: unknown): RefundSearch['after'] | null {
  if (after === undefined) return undefined
  const parts = /^(\d{1,15})\.(0x[0-9a-f]{64})$/.exec(typeof after === 'string' ? after : '')
  return parts === null
    ? null
    : { createdAt: Number(parts[1]), nonce: `0x${(parts[2] ?? '').slice(2)}` }
}

function decisionOf({
  params,
}: Request): { readonly verb: RefundVerb; readonly nonce: `0x${string}` } | undefined {
  const nonce = String(params['nonce']).toLowerCase()
  const verb = params['verb']
  if (!/^0x[0-9a-f]{64}$/.test(nonce) || (verb !== 'retry' && verb !== 'write-off'))
    return undefined
  return { verb, nonce: `0x${nonce.slice(2)}` }
}
