import './docs.css'
import redocUrl from 'redoc/bundles/redoc.standalone.js?url'
import markUrl from './mark.svg'
import { callService } from './service/call-service.ts'
import { facts } from './service/facts.ts'

/** The part of Redoc's bundle that this page uses. */
type Redoc = {
  init(spec: object, options: object, element: Element): unknown
}

document.getElementById('playground')?.toggleAttribute('hidden', !facts.sells)

const options = {
  disableTelemetry: true,
  downloadUrls: [{ title: 'openapi.json', url: new URL('openapi.json', document.baseURI).href }],
  logo: {
    url: new URL(markUrl, document.baseURI).href,
    href: document.baseURI,
    altText: 'Farebox',
  },
}

const element = document.getElementById('reference')
if (element !== null) await showReference(element)

/** Shows the document, or why it did not load; beyond the rate limit, it is requested again later. */
async function showReference(reference: Element): Promise<void> {
  const reply = await callService<{ readonly info: object }>({ path: 'openapi.json' })
  if (reply.status === 'refused') {
    showProblem(reference, reply.message)
    if (reply.retryMs !== undefined) setTimeout(() => void showReference(reference), reply.retryMs)
    return
  }
  try {
    // The bundle is copied as it is, and not compiled again.
    const redoc = (await import(/* @vite-ignore */ redocUrl)) as Redoc
    reference.replaceChildren()
    // The version is that of a package, and says nothing about the interface.
    const info = { ...reply.body.info, version: '' }
    redoc.init({ ...reply.body, info }, options, reference)
  } catch {
    showProblem(reference, 'The reference did not load. Reload the page in a minute.')
    return
  }
  new MutationObserver((_, observer) => {
    if (nameContents(reference)) observer.disconnect()
  }).observe(reference, { childList: true, subtree: true })
}

function showProblem(reference: Element, problem: string): void {
  const notice = document.createElement('p')
  notice.setAttribute('role', 'alert')
  notice.textContent = problem
  reference.replaceChildren(notice)
}

/** Makes a landmark of Redoc's list of contents. */
function nameContents(reference: Element): boolean {
  const contents = reference.querySelector('.menu-content')
  contents?.setAttribute('role', 'navigation')
  contents?.setAttribute('aria-label', 'Contents')
  return contents !== null
}
