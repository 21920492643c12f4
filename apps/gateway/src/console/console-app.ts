import { readFileSync } from 'node:fs'
import { LedgerError, type LedgerStore } from '@farebox/ledger'
import { markFile, styleFiles } from '@farebox/web'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
} from 'express'
import { z } from 'zod'
import type { Access } from './access.ts'
import { addPayments } from './add-payments.ts'
import { addRefunds } from './add-refunds.ts'
import { addChannels } from './channels/add-channels.ts'
import { limitLogins, refuseForeign, requireAccess, sessionOf, setSession } from './guard.ts'
import { moneyPage } from './money-page.ts'
import { type Html, html } from './page/html.ts'
import { notFound, send, wantsJson } from './page/respond.ts'
import { readMoney, type Sources } from './read-money.ts'

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
