import { loginLimiter } from '@farebox/http'
import type { Request, RequestHandler, Response } from 'express'
import { type Access, sessionMs } from './access.ts'

const cookieName = 'farebox_console'

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // With `no-referrer` a browser would send the Origin `null` with a form.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * Refuses requests with an unknown host name, as DNS rebinding sends them, and requests from pages of
 * other sites, whose `Origin` differs. A form is always sent with an `Origin`.
 */
export function refuseForeign(hosts: readonly string[]): RequestHandler {
  const known = new Set(['localhost', '127.0.0.1', '[::1]', ...hosts.map(bracketed)])
  return function checkOrigin(request, response, next) {
    response.set(headers)
    const host = request.headers.host ?? ''
    if (!known.has(host.replace(/:\d+$/, '').toLowerCase())) {
      response.status(421).type('text').send('This host name is not in CONSOLE_ALLOWED_HOSTS.\n')
      return
    }
    const { origin } = request.headers
    const isOwn = origin === `http://${host}` || origin === `https://${host}`
    const needsOrigin = request.method !== 'GET' && bearerOf(request) === undefined
    if (origin === undefined ? needsOrigin : !isOwn) {
      response.status(403).type('text').send('The request comes from another site.\n')
      return
    }
    next()
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host.toLowerCase()
}

/** Limits guesses at the token and at codes; open sessions are not affected. */
export function limitLogins(access: Access): RequestHandler {
  return loginLimiter({
    failuresPerMinute: 30,
    isLoggedIn: (request) => access.isSession(sessionOf(request) ?? ''),
  })
}

/** Lets a session or the token as a bearer pass; a browser without either is sent to the login. */
export function requireAccess(access: Access): RequestHandler {
  return function checkAccess(request, response, next) {
    const bearer = bearerOf(request)
    const session = sessionOf(request)
    if (bearer !== undefined && access.isToken(bearer)) next()
    else if (bearer === undefined && session !== undefined && access.isSession(session)) next()
    else if (bearer === undefined && request.accepts(['json', 'html']) === 'html') {
      response.redirect(303, '/login')
    } else {
      response.set('WWW-Authenticate', 'Bearer').status(401)
      response.json({ error: 'Send the token as Authorization: Bearer, or log in at /login.' })
    }
  }
}

function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

export function sessionOf(request: Request): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(/; */)
  const found = pairs.find((pair) => pair.startsWith(`${cookieName}=`))
  return found?.slice(cookieName.length + 1)
}

export function setSession(response: Response, session: string): void {
  const options = { httpOnly: true, sameSite: 'strict', path: '/', maxAge: sessionMs } as const
  response.cookie(cookieName, session, options)
}
