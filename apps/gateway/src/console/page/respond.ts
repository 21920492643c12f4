import type { Request, Response } from 'express'
import { frame, type Page } from './frame.ts'
import { html } from './html.ts'

/** Sends a page. */
export function send(request: Request, response: Response, page: Omit<Page, 'path'>): void {
  response.type('html').send(frame({ ...page, path: request.path }))
}

export function wantsJson(request: Request): boolean {
  return request.accepts(['html', 'json']) === 'json'
}

export function notFound(request: Request, response: Response, message: string): void {
  response.status(404)
  if (wantsJson(request)) response.json({ error: message })
  else send(request, response, { title: 'Not found', content: html`<p>${message}</p>` })
}

/** Refuses a query string, on the page with this title. */
export function refuse(
  request: Request,
  response: Response,
  { title, problem }: { readonly title: string; readonly problem: string },
): void {
  response.status(400)
  if (wantsJson(request)) response.json({ problem })
  else {
    const content = html`<p class="notice" role="alert">${problem}</p>`
    send(request, response, { title, content })
  }
}
