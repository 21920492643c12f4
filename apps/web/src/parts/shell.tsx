import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import markUrl from '../mark.svg'
import { at, facts } from '../service/facts.ts'

const pages = [
  { path: 'models', name: 'Models' },
  { path: 'calculator', name: 'Calculator' },
  ...(facts.sells ? [{ path: 'playground', name: 'Playground' }] : []),
]

const networkNames = {
  devnet: 'devnet, test money',
  'base-sepolia': 'Base Sepolia, test money',
  base: 'Base',
} as const

/** The frame of every page: the navigation and the footer. */
export function Shell({ children }: { readonly children: ComponentChildren }): VNode {
  const { path } = useLocation()
  useFocusOnPage(path)
  return (
    <>
      <a class="skip" href={`${path}#content`} onClick={skipToContent}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={at('')} aria-label="Farebox, home">
          <img src={markUrl} alt="" width="26" height="26" />
          Farebox
        </a>
        <nav aria-label="Pages">
          {pages.map((page) => (
            <a
              href={at(page.path)}
              aria-current={path.startsWith(at(page.path)) ? 'page' : undefined}
            >
              {page.name}
            </a>
          ))}
          <a href={at('docs')}>Docs</a>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot">
        <span>Network: {networkNames[facts.network]}</span>
        <a href={at('openapi.json')}>openapi.json</a>
        {facts.sells && <a href={at('llms.txt')}>llms.txt</a>}
        <a href={at('v1/health')}>Health</a>
      </footer>
    </>
  )
}

/** Moves the focus to each page that follows another one, so that screen readers announce it. */
function useFocusOnPage(path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [path])
}

function skipToContent(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
  document.getElementById('content')?.focus()
}
