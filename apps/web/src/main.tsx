import './style/base.css'
import './style/parts.css'
import './style/pages.css'
import { render, type VNode } from 'preact'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { CalculatorPage } from './pages/calculator-page.tsx'
import { CatalogPage } from './pages/catalog-page.tsx'
import { HomePage } from './pages/home-page.tsx'
import { ModelPage } from './pages/model-page.tsx'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { PlaygroundPage } from './pages/playground-page.tsx'
import { Shell } from './parts/shell.tsx'
import { SalesProvider } from './sale/sales.tsx'
import { at, basePath, facts } from './service/facts.ts'

/** Links to these are followed without loading a page; all others, such as /docs, are left alone. */
const ownPages = new RegExp(
  `^${basePath.replace(/[^\w/-]/g, '\\$&')}(models(/[^?]*)?|calculator|playground)?(\\?.*)?$`,
)

function Site(): VNode {
  return (
    <LocationProvider scope={ownPages}>
      <SalesProvider>
        <Shell>
          <Page />
        </Shell>
      </SalesProvider>
    </LocationProvider>
  )
}

function Page(): VNode {
  const { path } = useLocation()
  if (!isDecodable(path)) return <NotFoundPage />
  return (
    <Router>
      <Route path={at('')} component={HomePage} />
      <Route path={at('models')} component={CatalogPage} />
      <Route path={at('models/:id+')} component={ModelPage} />
      <Route path={at('calculator')} component={CalculatorPage} />
      <Route path={at('playground')} component={facts.sells ? PlaygroundPage : NotFoundPage} />
      <Route default component={NotFoundPage} />
    </Router>
  )
}

/** The router decodes the path, and fails where that is impossible. */
function isDecodable(path: string): boolean {
  try {
    // Without a use of the result, the bundler would drop the call.
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

const app = document.getElementById('app')
app?.replaceChildren()
if (app !== null) render(<Site />, app)
