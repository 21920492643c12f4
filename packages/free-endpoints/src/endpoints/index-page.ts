import type { RequestHandler } from 'express'

/** `GET /`: browsers are sent to the documentation, programs get a short index. */
export function indexPage(paths: Readonly<Record<string, string>>): RequestHandler {
  const index = { name: 'Farebox', ...paths }
  return function handleIndex(request, response) {
    response.set('Vary', 'Accept')
    if (request.accepts(['json', 'html']) === 'html') return response.redirect(302, '/docs')
    response.json(index)
  }
}
