import type { RequestHandler } from 'express'
import { sendPage } from './send-page.ts'
import type { SitePage } from './site-page.ts'

/** Sends browsers a page; what other clients get is up to the next handler. */
export function forBrowsers(page: SitePage, status = 200): RequestHandler {
  return function handlePage(request, response, next) {
    response.vary('Accept')
    if (request.accepts(['json', 'html']) === 'html') sendPage(response.status(status), page)
    else next()
  }
}
