import type { RequestHandler } from 'express'
import { forBrowsers } from './for-browsers.ts'
import type { SiteOptions } from './site.ts'
import { readSitePage } from './site-page.ts'

/**
 * What browsers get at an address that does not exist: a 404 with the page of the site for it.
 * `undefined` without a build.
 */
export function missingPage({
  directory,
  facts,
}: Pick<SiteOptions, 'directory' | 'facts'>): RequestHandler | undefined {
  const basePath = new URL(`${facts().publicUrl}/`).pathname
  const page = readSitePage({ directory, basePath, facts, file: 'index.html', styles: 'files' })
  return page && forBrowsers(page, 404)
}
