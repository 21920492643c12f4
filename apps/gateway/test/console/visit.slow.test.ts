// The console in a real browser: what its pages contain has a faster test in console.test.ts.
import axeCore from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../../../scripts/testing/chromium.ts'
import { readConfig } from '../../src/config.ts'
import { type RunningConsole, startConsole } from '../../src/console/start-console.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

const launch = findChromium()

let gateway: TestGateway
let console: RunningConsole
let browser: Browser
const payments: string[] = []
const started: (() => Promise<void>)[] = []

beforeAll(async () => {
  if (launch === undefined) return
  gateway = await openGateway()
  started.push(gateway.stop)
  const parsed = readConfig({
    DATA_DIR: gateway.folder,
    CONSOLE_PORT: '0',
    CONSOLE_TOKEN: 'a-token-for-the-tests-only',
    CONSOLE_GATEWAY_URL: gateway.url,
  })
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  console = await startConsole(parsed.config)
  started.push(console.stop)
  for (const payer of [0, 1, 2]) {
    const model = payer === 1 ? 'anthropic/claude-haiku-4.5' : 'openai/gpt-4.1-mini'
    const answer = await buy(gateway, payer, { body: chatOf('Hello.', { model }) })
    await answer.text()
    payments.push(answer.headers.get('x-payment-id') ?? '')
  }
  for (const id of payments) await gateway.refunded(id)
  browser = await chromium.launch({ ...launch, args: [...launch.args] })
  started.push(() => browser.close())
})
afterAll(async () => {
  for (const stop of started.toReversed()) await stop()
})

const views = [
  { name: 'desk', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

type AxeResult = {
  readonly passes: readonly object[]
  readonly violations: readonly { readonly id: string; readonly nodes: object[] }[]
}

/** What axe finds on a page, by rule. It bypasses the page's policy, which allows no script. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeCore.source)
  const { passes, violations } = await page.evaluate<AxeResult>('axe.run()')
  expect(passes.length).toBeGreaterThan(10)
  return violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)
}

/** Tables that a long name of a model makes wider than the page. */
const pushed = `[...document.querySelectorAll('.scroll')].filter((region) => {
  for (const cell of region.querySelectorAll('tbody .wrapped')) {
    cell.textContent = 'meta-llama/llama-4-maverick-17b-128e-instruct-fp8:extended-thinking'
  }
  return region.scrollWidth > region.clientWidth
}).map((region) => region.getAttribute('aria-label'))`

/** Tiles that an amount in the thousands leaves, by their names. */
const crowded = `[...document.querySelectorAll('.tile')].filter((tile) => {
  tile.querySelector('.sum').textContent = '12345.678901 USDC'
  return tile.scrollWidth > tile.clientWidth
}).map((tile) => tile.querySelector('h2').textContent)`

describe.skipIf(launch === undefined)('a visit to the console', () => {
  test('amounts in the thousands fit their tiles at any width', async () => {
    const extraHTTPHeaders = { authorization: 'Bearer a-token-for-the-tests-only' }
    const page = await browser.newPage({ extraHTTPHeaders })
    await page.goto(console.url)
    for (const width of [320, 560, 800, 1040, 1400]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate(crowded)).toEqual([])
    }
    await page.close()
  })

  test('the heads of a table have one weight', async () => {
    const extraHTTPHeaders = { authorization: 'Bearer a-token-for-the-tests-only' }
    const page = await browser.newPage({ extraHTTPHeaders })
    await page.goto(`${console.url}/payments`)
    const weights = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('thead th')].map((head) => getComputedStyle(head).fontWeight)",
    )
    expect(weights.length).toBeGreaterThan(5)
    expect(new Set(weights).size).toBe(1)
    await page.close()
  })

  test('a long model name does not push amounts off the page', async () => {
    const extraHTTPHeaders = { authorization: 'Bearer a-token-for-the-tests-only' }
    const page = await browser.newPage({ extraHTTPHeaders, viewport: { width: 1280, height: 800 } })
    for (const path of ['/', '/payments']) {
      await page.goto(console.url + path)
      expect(await page.locator('tbody .wrapped').count()).toBeGreaterThan(0)
      expect(await page.evaluate(pushed)).toEqual([])
    }
    await page.close()
  })

  test('the form logs in; axe finds nothing on a desk in light and on a phone in dark', async () => {
    for (const { name, ...view } of views) {
      const context = await browser.newContext(view)
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await page.goto(console.url)
      expect(await findings(page)).toEqual([])
      await page.getByLabel('Token').fill('a-token-for-the-tests-only')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { name: 'Revenue, the last 30 days' }).waitFor()
      for (const path of [
        '/',
        '/payments',
        `/payments/${payments[0]}`,
        '/refunds',
        '/channels',
        '/none',
      ]) {
        await page.goto(console.url + path)
        expect(await findings(page)).toEqual([])
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(wider).toBeLessThanOrEqual(0)
        const folder = process.env['SCREENSHOTS']
        const file = `${name}-${path.split('/')[1] || 'money'}${path.split('/').length > 2 ? '-one' : ''}`
        if (folder !== undefined) await page.screenshot({ path: `${folder}/${file}.png` })
      }
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('Token').waitFor()
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
      await context.close()
    }
  })
})
