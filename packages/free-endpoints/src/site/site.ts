import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { finished, type Readable } from 'node:stream'
import type { SiteFacts } from '@farebox/api'
import { type RequestHandler, Router } from 'express'
import sirv from 'sirv'
import { forBrowsers } from './for-browsers.ts'
import { sendPage } from './send-page.ts'
import { readSitePage } from './site-page.ts'

export type SiteOptions = {
  /** The folder of the built site. Without a build, browsers get the index for programs. */
  readonly directory: string
  /** What the pages need to know; the public address never changes. */
  readonly facts: () => SiteFacts
  /** The addresses of the short index that programs get at `/`. */
  readonly index: Readonly<Record<string, string>>
}

/**
 * The pages of the site. Only browsers get them; other clients get a 404. The ids of models are a regular
 * expression because Express would decode a parameter, and fail where that is impossible.
 */
const pagePaths = ['/', /^\/models(?:\/.*)?$/, '/calculator', '/playground']

/** The pages for browsers, `/docs`, and the index for programs. Everything comes from this service. */
export function site({ directory, facts, index }: SiteOptions): Router {
  const basePath = new URL(`${facts().publicUrl}/`).pathname
  const common = { directory, basePath, facts }
  const app = readSitePage({ ...common, file: 'index.html', styles: 'files' })
  const reference = readSitePage({ ...common, file: 'docs.html', styles: 'inline' })
  const router = Router()
  if (app !== undefined) router.get(pagePaths, forBrowsers(app))
  router.get('/', (_, response) => {
    response.vary('Accept').json({ name: 'Farebox', ...index })
  })
  router.get('/docs', (_, response) => {
    if (reference === undefined) response.redirect(302, `${basePath}openapi.json`)
    else sendPage(response, reference)
  })
  router.use('/assets', assets(join(directory, 'assets')))
  return router
}

/**
 * The scripts and styles. Their names contain the hash of their content, so that they are kept for a
 * year. Each is looked up when it is asked for: a new build under a running service replaces them.
 */
function assets(folder: string): RequestHandler {
  const setHeaders = (response: ServerResponse): void => {
    response.setHeader('Cache-Control', 'public,max-age=31536000,immutable')
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.once('pipe', (file: Readable) => {
      // A file that is removed just now: the error of a stream without a listener would end the process.
      file.once('error', () => response.destroy())
      // `pipe` does not close the file of a download that is broken off.
      finished(response, () => file.destroy())
    })
  }
  const send = sirv(folder, { dev: true, gzip: true, setHeaders })
  return function handleAsset(request, response, next) {
    // sirv throws at a range that ends before its start.
    delete request.headers.range
    send(request, response, next)
  }
}
