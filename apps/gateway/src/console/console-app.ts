import { readFileSync } from 'node:fs'
import {
  LedgerError,
  type LedgerStore,
  type PaymentRecord,
  parsePaymentId,
  pendingRefundStatuses,
  type RefundSearch,
} from '@farebox/ledger'
import { markFile, styleFiles } from '@farebox/web'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
} from 'express'
import { z } from 'zod'
import type { Access } from './access.ts'
import { addChannels } from './channels/add-channels.ts'
import { decideRefund, type RefundVerb } from './decide-refund.ts'
import { limitLogins, refuseForeign, requireAccess, sessionOf, setSession } from './guard.ts'
import { readMoney, type Sources } from './money.ts'
import { moneyPage } from './money-page.ts'
import { type Html, html } from './page/html.ts'
import { notFound, refuse, send, wantsJson } from './page/respond.ts'
import { noteIn } from './page/unread.ts'
import { type PaymentHistory, paymentPage, publicHistory } from './payment-page.ts'
import { paymentsPage } from './payments-page.ts'
import { confirmPage, decidedPage, refundsPage } from './refunds-page.ts'
import {
  type ParsedSearch,
  pageSize,
  parseSearch,
  queryProblem,
  searchFields,
  searchForm,
  wrongPage,
} from './search.ts'

export type ConsoleOptions = Sources & {
  readonly store: LedgerStore
  readonly access: Access
  /** Host names under which a browser may reach the console, in addition to this machine's own. */
  readonly hosts: readonly string[]
}

/** The pages of the console; each is JSON for `Accept: application/json`. */
export function consoleApp(options: ConsoleOptions): Express {
  const app = express()
  app.disable('etag').disable('x-powered-by')
  app.set('json replacer', (_: string, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  app.use(refuseForeign(options.hosts))
  addAssets(app)
  app.use(limitLogins(options.access))
  addLogin(app, options.access)
  app.use(requireAccess(options.access))
  addMoney(app, options)
  addPayments(app, options)
  addRefunds(app, options)
  addChannels(app, options)
  app.use((request, response) => {
    notFound(request, response, 'This page does not exist.')
  })
  app.use(respondFault)
  return app
}

/** Responds to a fault, such as a ledger that is down, with a sentence instead of a stack. */
// oxlint-disable-next-line max-params -- Express recognizes it by its four parameters
const respondFault: ErrorRequestHandler = (error: unknown, request, response, next) => {
  if (response.headersSent) {
    next(error)
    return
  }
  const isMalformed = error instanceof URIError
  const text = isMalformed ? 'The URL is not valid.' : faultText(error)
  response.status(isMalformed ? 400 : 503)
  if (wantsJson(request)) response.json({ error: text })
  else {
    const content = html`<p class="notice" role="alert">${text}</p>`
    send(request, response, { title: 'This page cannot be shown', content })
  }
}

function faultText(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown'
  return error instanceof LedgerError && error.code === 'corrupt_row'
    ? `A row of the ledger cannot be read: ${message}. Run audit, and correct it from a copy of the ledger.`
    : `The ledger cannot be read: ${message}`
}

function addAssets(app: Express): void {
  const style = styleFiles.map((file) => readFileSync(file, 'utf8')).join('\n')
  const mark = readFileSync(markFile)
  app.get('/console.css', (_, response) => {
    response.type('css').send(style)
  })
  app.get('/mark.svg', (_, response) => {
    response.type('svg').send(mark)
  })
}

const loginBody = z.object({ token: z.string() })

function addLogin(app: Express, access: Access): void {
  const enter = (request: Request, response: Response, session: string | undefined): void => {
    if (session === undefined) {
      const problem = html`<p class="notice" role="alert">The token is wrong, or the link has expired or was already used.</p>`
      send(request, response.status(401), { title: 'Log in', content: loginForm(problem) })
      return
    }
    setSession(response, session)
    response.redirect(303, '/')
  }
  app.get('/login', (request, response) => {
    const { code } = request.query
    if (typeof code === 'string') enter(request, response, access.redeemCode(code))
    else send(request, response, { title: 'Log in', content: loginForm(html``) })
  })
  app.post('/login', express.urlencoded({ limit: '2kb' }), (request, response) => {
    const { token } = loginBody.catch({ token: '' }).parse(request.body)
    enter(request, response, access.redeemToken(token))
  })
  app.post('/logout', (request, response) => {
    access.endSession(sessionOf(request) ?? '')
    response.redirect(303, '/login')
  })
}

function loginForm(problem: Html): Html {
  return html`${problem}<form class="stack narrow" method="post" action="/login">
<label class="field"><span>Token</span><input type="password" name="token" autocomplete="current-password" required></label>
<button class="button">Log in</button>
<p class="fine">The token is CONSOLE_TOKEN, or printed when the console starts.</p></form>`
}

function addMoney(app: Express, options: ConsoleOptions): void {
  app.get('/', async (request, response) => {
    const money = await readMoney(options, 30)
    if (wantsJson(request)) response.json(money)
    else send(request, response, { title: 'Money', content: moneyPage(money) })
  })
}

function addPayments(app: Express, { store, now, network }: ConsoleOptions): void {
  app.get('/payments', async (request, response) => {
    const form = searchForm(request.query)
    const wrong = queryProblem(request.query, searchFields)
    const parsed: ParsedSearch =
      wrong === undefined ? parseSearch(form, now()) : { type: 'invalid', problem: wrong }
    if (parsed.type === 'payment') {
      response.redirect(303, `/payments/${parsed.id}`)
      return
    }
    const problem = parsed.type === 'invalid' ? parsed.problem : undefined
    const unread: string[] = []
    const payments =
      parsed.type === 'invalid'
        ? []
        : parsed.type === 'hash'
          ? await paymentsOf(store, parsed.hash)
          : await store.searchPayments(parsed.search, noteIn(unread))
    if (problem !== undefined) response.status(400)
    if (wantsJson(request)) {
      const found = { payments: payments.map(unsigned), unread }
      response.json(problem === undefined ? found : { problem })
      return
    }
    const content = paymentsPage({
      form,
      payments,
      unread,
      ...(problem !== undefined && { problem }),
    })
    send(request, response, { title: 'Payments', content })
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

function addRefunds(app: Express, { store }: ConsoleOptions): void {
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
