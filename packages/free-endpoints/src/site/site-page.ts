import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type SitePage = {
  /** The page with its current facts embedded. */
  readonly html: () => string
  /** The `Content-Security-Policy` of the page. */
  readonly policy: string
}

export type SitePageOptions = {
  /** The folder of the built site. */
  readonly directory: string
  readonly file: string
  /** The path of the service's public address, with a slash at its end. */
  readonly basePath: string
  /** Given to the page as JSON. */
  readonly facts: () => object
  /** Whether the page's scripts bring their own styles and fonts. */
  readonly styles: 'files' | 'inline'
}

/**
 * A page of the built site for this service; undefined if the site has not been built. It is read each
 * time, because a new build under a running service removes the files that the old page names.
 */
export function readSitePage(options: SitePageOptions): SitePage | undefined {
  const file = join(options.directory, options.file)
  if (!existsSync(file)) return undefined
  let page = readFileSync(file, 'utf8')
  const base = `<base href="${escapeAttribute(options.basePath)}"`
  const facts = (): string => JSON.stringify(options.facts()).replaceAll('<', '\\u003c')
  const html = (): string => {
    // A build that is under way has removed it for a moment.
    if (existsSync(file)) page = readFileSync(file, 'utf8')
    return page.replace('<base href="/"', () => base).replace('{"facts":null}', facts)
  }
  return { html, policy: `${basePolicy}; ${stylePolicies[options.styles]}` }
}

/** Nothing is loaded from, sent to, or embedded in another origin. */
const basePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const stylePolicies = {
  files: "style-src 'self'",
  inline: "style-src 'self' 'unsafe-inline'; font-src data:",
} as const

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
