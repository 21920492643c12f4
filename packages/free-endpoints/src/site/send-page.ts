import type { Response } from 'express'
import type { SitePage } from './site-page.ts'

/** Sends a page of the site with its policy. */
export function sendPage(response: Response, { html, policy }: SitePage): void {
  response
    .set({
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .type('html')
    .send(html())
}
