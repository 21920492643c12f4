// The pages in a real browser. Their parts have faster tests in apps/web/test, and their delivery in
// packages/free-endpoints/test/site.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { siteDirectory } from '@farebox/web'
import axeCore from 'axe-core'
import { type Browser, chromium, type Page, type Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../../../scripts/testing/chromium.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

const launch = findChromium()
const axe = axeCore.source
/** A name by which the browser does not trust HTTP, as it trusts that of its own machine. */
const otherMachine = 'gateway.test'

let gateway: TestGateway
let browser: Browser
const started: (() => Promise<void>)[] = []
/** Requests to anywhere but the gateway, faults of scripts, and violations of the policy. */
const complaints: string[] = []

async function openPage(path: string, options: Parameters<Browser['newPage']>[0] = {}) {
  const page = await browser.newPage(options)
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(gateway.url) && !url.startsWith('data:')) complaints.push(url)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // A browser reports every 402, which is how a price is asked.
    if (message.type() === 'error' && !message.text().includes('402')) {
      complaints.push(message.text())
    }
  })
  await page.goto(gateway.url + path)
  return page
}

beforeAll(async () => {
  if (launch === undefined) return
  const web = dirname(dirname(siteDirectory))
  const vite = join(web, 'node_modules/vite/bin/vite.js')
  if (!existsSync(siteDirectory)) execFileSync(process.execPath, [vite, 'build'], { cwd: web })
  gateway = await openGateway()
  started.push(gateway.stop)
  const args = [...launch.args, `--host-resolver-rules=MAP ${otherMachine} 127.0.0.1`]
  browser = await chromium.launch({ ...launch, args })
  started.push(() => browser.close())
})
afterAll(async () => {
  for (const stop of started.toReversed()) await stop()
})

type AxeResult = {
  readonly passes: readonly object[]
  readonly violations: readonly { readonly id: string; readonly nodes: object[] }[]
}

/** What axe finds on a page, by rule. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  const { passes, violations } = await page.evaluate<AxeResult>('axe.run()')
  expect(passes.length).toBeGreaterThan(10)
  return violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)
}

async function expectRefund(page: Page): Promise<void> {
  const timeline = page.getByRole('list', { name: 'The payment' })
  await timeline.getByText('received').waitFor()
  expect(await timeline.textContent()).toMatch(/Quoteat most \$0\.\d+.*paid 0x.*cost \$/)
}

async function expectAnswer(page: Page): Promise<void> {
  expect(await page.getByRole('region', { name: 'The answer' }).textContent()).toContain('sandbox')
}

describe.skipIf(launch === undefined)('a visit', () => {
  test('searches, sorts and opens a model, calculates, pays, reads the answer and sees the refund', async () => {
    const page = await openPage('/')
    await page.getByText('You get back').waitFor()
    await page.getByText('A call from a channel costs at least $0.0001').waitFor()
    await page.getByRole('link', { name: 'See the prices' }).click()
    await page.getByLabel('Search').fill('openai 4.1')
    await page.getByText(/^3 of \d+ models/).waitFor()
    await page.getByRole('button', { name: 'Output' }).click()
    const rows = page.locator('tbody tr')
    expect(await rows.first().textContent()).toContain('Nano')
    await page.getByRole('link', { name: 'GPT-4.1 Mini' }).click()
    await page.getByRole('link', { name: 'Calculate a price' }).click()
    await page.getByText(/^\d\d tokens in/).waitFor()
    await page.getByLabel('Prompt').fill('A longer question. '.repeat(500))
    await page.getByText(/^20\d\d tokens in/).waitFor()
    await page.getByRole('link', { name: 'Playground' }).click()
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    await page.close()
  })

  test('buys an image and shows it', async () => {
    const page = await openPage('/playground')
    await page.getByRole('link', { name: 'Images' }).click()
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    const image = page.getByRole('region', { name: 'The answer' }).getByRole('img')
    await image.waitFor()
    expect(await image.evaluate(({ naturalWidth }) => naturalWidth)).toBe(512)
    await expectRefund(page)
    expect(await findings(page)).toEqual([])
    await page.close()
  })

  test('an image model shows what its prices are for, and is bought at a size that it makes', async () => {
    const page = await openPage('/models?kind=images&q=imagineart')
    await page.getByText(/^Prices of one image at the model's default steps/).waitFor()
    await page.getByRole('link', { name: 'ImagineArt 1.5' }).click()
    await page.getByText(/^Prices of one image at the model's default steps/).waitFor()
    await page.getByRole('link', { name: 'Try it' }).click()
    await page.getByLabel('Size').getByText('2048×2048').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Get the price' }).click()
    const price = page.getByText(/^At most \$0\.\d+; it is likely to cost/)
    await price.waitFor()
    expect(await price.count()).toBe(1)
    await page.close()
  })

  test('the catalog says how it is sorted, and leads from an empty search to the other models', async () => {
    const page = await openPage('/models')
    const head = page.getByRole('columnheader', { name: 'Model' })
    await head.waitFor()
    expect(await head.getAttribute('aria-sort')).toBeNull()
    await head.getByRole('button').click()
    await page.locator('[aria-sort="ascending"]').getByText('Model').waitFor()
    const names = await page.locator('tbody th a').allTextContents()
    const lower = names.map((name) => name.toLowerCase())
    expect(lower.length).toBeGreaterThan(100)
    expect(lower).toEqual(lower.toSorted())
    await page.getByLabel('Search').fill('flux')
    await page.getByRole('link', { name: 'Search the image models' }).click()
    await page.getByText(/^\d\d of \d\d models/).waitFor()
    await page.close()
  })

  test('a visit without JavaScript begins with what works without it', async () => {
    const page = await openPage('/', { javaScriptEnabled: false })
    const text = page.locator('.no-script')
    expect((await text.boundingBox())?.y).toBeLessThan(50)
    const links = await text.locator('a').all()
    expect(links).toHaveLength(3)
    for (const link of links) {
      const address = `${gateway.url}/${await link.getAttribute('href')}`
      expect((await fetch(address)).status).toBe(200)
    }
    await page.close()
  })

  test('a service that cannot be reached is named, wherever a visitor asks', async () => {
    const page = await browser.newPage()
    await page.goto(gateway.url)
    await page.getByText('You get back').waitFor()
    await page.context().setOffline(true)
    for (const name of ['Models', 'Calculator', 'Playground']) {
      await page.getByRole('link', { name, exact: true }).click()
      if (name === 'Playground') await page.getByRole('button', { name: 'Get the price' }).click()
      const notice = page.getByRole('alert')
      await notice.waitFor()
      expect(await notice.textContent()).toBe('The service cannot be reached.')
    }
    await page.close()
  })

  /** A wallet that answers in the page with the keys of this test. It throws the codes that are given. */
  async function addWallet(page: Page, codes: Readonly<Record<string, number>> = {}) {
    const payer = gateway.account(3)
    const calls: string[] = []
    await page.exposeFunction('walletCall', async (method: string, params: readonly string[]) => {
      calls.push(method)
      const isFirst = calls.filter((call) => call === method).length === 1
      if (isFirst && codes[method] !== undefined) return { code: codes[method] }
      if (method === 'eth_requestAccounts') return { result: [payer.address] }
      if (method !== 'eth_signTypedData_v4') return { result: null }
      const { EIP712Domain: _, ...types } = JSON.parse(params[1] ?? '').types
      return { result: await payer.signTypedData({ ...JSON.parse(params[1] ?? ''), types }) }
    })
    await page.addInitScript(`window.wallet = { request: async ({ method, params }) => {
      const { code, result } = await walletCall(method, params)
      if (code !== undefined) throw { code, message: 'code ' + code }
      return result
    } }`)
    return calls
  }

  async function openPlayground(page: Page): Promise<void> {
    await page.goto(`${gateway.url}/playground`)
    await page.getByRole('button', { name: 'Get the price' }).click()
  }

  test('a wallet of the browser signs once, on the chain of the payment', async () => {
    const page = await browser.newPage()
    const calls = await addWallet(page)
    await page.addInitScript('window.ethereum = wallet')
    await openPlayground(page)
    await page.getByRole('button', { name: /with your wallet/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    const switching = 'wallet_switchEthereumChain'
    expect(calls).toEqual(['eth_requestAccounts', switching, 'eth_signTypedData_v4'])
    await page.close()
  })

  test('a wallet that announces itself is named, and gets the chain that it does not know', async () => {
    const page = await browser.newPage()
    const calls = await addWallet(page, { wallet_switchEthereumChain: 4902 })
    await page.addInitScript(`addEventListener('eip6963:requestProvider', () => {
      const detail = { info: { uuid: '350670db', name: 'Purse' }, provider: wallet }
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    })`)
    await openPlayground(page)
    await page.getByRole('button', { name: /with Purse/ }).click()
    await expectRefund(page)
    const switching = 'wallet_switchEthereumChain'
    const added = [switching, 'wallet_addEthereumChain', switching]
    expect(calls).toEqual(['eth_requestAccounts', ...added, 'eth_signTypedData_v4'])
    await page.close()
  })

  test('a wallet that declines ends the sale without a payment', async () => {
    const page = await browser.newPage()
    await addWallet(page, { eth_signTypedData_v4: 4001 })
    await page.addInitScript('window.ethereum = wallet')
    await openPlayground(page)
    await page.getByRole('button', { name: /with your wallet/ }).click()
    const notice = page.getByRole('alert')
    await notice.waitFor()
    expect(await notice.textContent()).toBe('The wallet declined. Nothing was paid.')
    const signature = page.getByRole('listitem').filter({ hasText: 'Signature' })
    expect(await signature.getAttribute('class')).toBe('ahead')
    await page.close()
  })

  test.each([
    ['breaks off', (route: Route) => route.abort('connectionreset')],
    ['ends at a proxy', (route: Route) => route.fulfill({ status: 504, body: 'gateway timeout' })],
  ])(
    'a paid request whose response %s is sent again, and gets the answer that was paid',
    async (_, lose) => {
      const page = await browser.newPage()
      const signatures: string[] = []
      await page.route('**/v1/chat/completions', async (route) => {
        const signature = route.request().headers()['payment-signature']
        if (signature === undefined) return await route.continue()
        signatures.push(signature)
        if (signatures.length > 1) return await route.continue()
        expect((await route.fetch()).status()).toBe(200)
        return await lose(route)
      })
      await openPlayground(page)
      await page.getByRole('button', { name: /of test money/ }).click()
      await expectRefund(page)
      await expectAnswer(page)
      expect(signatures).toEqual([signatures[0], signatures[0]])
      await page.close()
    },
  )

  test('a page that is reloaded while it pays gets the answer that was paid', async () => {
    const page = await browser.newPage()
    const signatures: string[] = []
    await page.route('**/v1/chat/completions', async (route) => {
      const signature = route.request().headers()['payment-signature']
      if (signature !== undefined) signatures.push(signature)
      if (signature === undefined || signatures.length > 1) return await route.continue()
      await route.fetch()
      return await page.reload()
    })
    await page.goto(`${gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('How long is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    expect(await page.getByLabel('Prompt').inputValue()).toBe('How long is a fare box?')
    expect(signatures).toEqual([signatures[0], signatures[0]])
    await page.reload()
    await page.getByRole('button', { name: 'Get the price' }).waitFor()
    expect(signatures).toHaveLength(2)
    await page.close()
  })

  test('a page that is reloaded while its answer streams shows the part that is billed, and the refund', async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('[[sandbox: tokens_per_second=20]] What is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByRole('region', { name: 'The answer' }).getByText('Farebox sandbox').waitFor()
    await page.reload()
    const notice = page.getByRole('alert')
    await notice.waitFor()
    expect(await notice.textContent()).toMatch(/^The connection was lost\. What was delivered/)
    await expectRefund(page)
    await expectAnswer(page)
    await page.close()
  })

  test('the playground pays on a page that another machine serves by HTTP', async () => {
    const page = await browser.newPage()
    const { port } = new URL(gateway.url)
    await page.goto(`http://${otherMachine}:${port}/playground`)
    expect(await page.evaluate('isSecureContext')).toBe(false)
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    await page.close()
  })

  const views = [
    { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
    { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ] as const
  const paths = ['/', '/models?q=gpt', '/models?kind=images', '/models/openai/gpt-4.1-mini']
  test.each([...paths, '/calculator', '/playground', '/models/acme/none'])(
    'axe finds nothing on %s, light on a desk and dark on a phone',
    async (path) => {
      for (const view of views) {
        const page = await openPage(path, view)
        await page.waitForLoadState('networkidle')
        expect(await findings(page)).toEqual([])
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(wider).toBeLessThanOrEqual(0)
        await page.close()
      }
    },
  )

  test('the reference shows the paths and fits on a phone, and the first page weighs less than 50 KB', async () => {
    const docs = await openPage('/docs')
    await docs.getByRole('heading', { name: 'How to pay' }).waitFor()
    await docs.getByRole('link', { name: 'Playground' }).waitFor()
    await docs.getByText('Paid', { exact: true }).first().click()
    await docs.getByText('A paid chat completion').first().waitFor()
    await docs.getByText('developer', { exact: true }).first().waitFor()
    await docs.setViewportSize({ width: 360, height: 780 })
    const wider = await docs.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wider).toBeLessThanOrEqual(0)
    await docs.close()
    const page = await openPage('/')
    await page.waitForLoadState('networkidle')
    const weight = await page.evaluate(
      "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).reduce((sum, entry) => sum + entry.encodedBodySize, 0)",
    )
    expect(weight).toBeLessThan(50_000)
    await page.close()
  })

  test('no page asked another server, broke its policy or failed', () => {
    expect(complaints).toEqual([])
  })
})
