import './docs.css'
import redocUrl from 'redoc/bundles/redoc.standalone.js?url'
import markUrl from './mark.svg'
import { facts } from './service/facts.ts'

/** The part of Redoc's bundle that this page uses. */
type Redoc = {
  init(specUrl: string, options: object, element: Element): unknown
}

document.getElementById('playground')?.toggleAttribute('hidden', !facts.sells)

const element = document.getElementById('reference')
// The bundle is copied as it is, and not compiled again.
const redoc = (await import(/* @vite-ignore */ redocUrl)) as Redoc
if (element !== null) {
  redoc.init(
    new URL('openapi.json', document.baseURI).href,
    {
      disableTelemetry: true,
      logo: {
        url: new URL(markUrl, document.baseURI).href,
        href: document.baseURI,
        altText: 'Farebox',
      },
    },
    element,
  )
  new MutationObserver((_, observer) => {
    if (nameContents(element)) observer.disconnect()
  }).observe(element, { childList: true, subtree: true })
}

/** Makes a landmark of Redoc's list of contents. */
function nameContents(reference: Element): boolean {
  const contents = reference.querySelector('.menu-content')
  contents?.setAttribute('role', 'navigation')
  contents?.setAttribute('aria-label', 'Contents')
  return contents !== null
}
