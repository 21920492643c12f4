// The pages in a real browser. Their parts have faster tests in apps/web/test, and their delivery in
// packages/free-endpoints/test/site.
import axeCore from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAnswer, expectRefund, useSite } from './open-site.ts'

const site = useSite()
const axe = axeCore.source
/** Requests to anywhere but the gateway, faults of scripts, and violations of the policy. */
const complaints: string[] = []

async function openPage(path: string, options: Parameters<Browser['newPage']>[0] = {}) {
  const page = await site.browser.newPage(options)
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(site.gateway.url) && !url.startsWith('data:')) complaints.push(url)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // A browser reports every 402, which is how a price is asked.
    if (message.type() === 'error' && !message.text().includes('402')) {
      complaints.push(message.text())
    }
  })
  await page.goto(site.gateway.url + path)
  return page
}

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

describe.skipIf(site.launch === undefined)('a visit', () => {
  test('searches, sorts and opens a model, calculates, pays, reads the answer and sees the refund', async () => {
    const page = await openPage('/')
    await page.getByText('You get back').waitFor()
    await page.getByText('A call from a channel costs at least $0.0001').waitFor()
    await page.getByRole('link', { name: 'See the prices' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content')
    await page.getByLabel('Search').fill('openai 4.1')
    await page.getByText(/^3 of \d+ models/).waitFor()
    await page.getByRole('button', { name: 'Output' }).click()
    const rows = page.locator('tbody tr')
    expect(await rows.first().textContent()).toContain('Nano')
    await page.getByRole('link', { name: 'GPT-4.1 Mini' }).click()
    await page.getByRole('link', { name: 'Calculate a price' }).click()
    await page.getByText(/^\d\d tokens in/).waitFor()
    await page.getByLabel('Prompt').fill('')
    await page.getByText('Type a prompt to see its price.').waitFor()
    await page.getByLabel('Prompt').fill('A longer question. '.repeat(500))
    await page.getByText(/^20\d\d tokens in/).waitFor()
    await page.getByRole('link', { name: 'Playground' }).click()
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    await page.close()
  })

  test.each([
    ['Model', '', 'Type the name of a model to see its price.'],
    ['Prompt', '', 'Type a prompt to see its price.'],
    ['Longest answer, in tokens', '', 'Type a length from 1 to 128,000 tokens to see the price.'],
    ['Longest answer, in tokens', '0', 'Type a length from 1 to 128,000 tokens to see the price.'],
  ])('the calculator asks for no price while %s is "%s"', async (label, text, notice) => {
    const page = await openPage('/calculator')
    await page.clock.install()
    await page.getByText(/^\d\d tokens in/).waitFor()
    let asked = 0
    page.on('request', () => {
      asked += 1
    })
    const field = page.getByLabel(label)
    await field.fill(text)
    await page.getByText(notice).waitFor()
    await page.clock.runFor(10_000)
    expect(asked).toBe(0)
    expect(await page.getByText('You pay at most').count()).toBe(0)
    expect(await field.inputValue()).toBe(text)
    await page.close()
  })

  test('a model that is not sold is named without an address for programs', async () => {
    const page = await site.browser.newPage()
    await page.goto(`${site.gateway.url}/calculator?model=acme/none`)
    const notice = page.getByRole('alert')
    await notice.waitFor()
    expect(await notice.textContent()).toBe(
      'No model that is sold here has exactly this name. The page “Models” lists them all.',
    )
    await page.close()
  })

  test('a list that is slow, and then fails, is asked for until it comes', async () => {
    const page = await site.browser.newPage()
    await page.clock.install()
    let asked = 0
    let load = (): void => {}
    const loaded = new Promise<void>((resolve) => {
      load = resolve
    })
    await page.route('**/v1/images/models', async (route) => {
      asked += 1
      await loaded
      if (asked === 1) return await route.fulfill({ status: 503, body: '' })
      return await route.continue()
    })
    await page.goto(`${site.gateway.url}/playground?kind=images`)
    await page.getByText('(the list is loading…)').waitFor()
    await page.getByRole('button', { name: 'Get the price' }).click()
    expect(await page.getByLabel('Size').inputValue()).toBe('')
    expect(await page.getByRole('listitem').filter({ hasText: 'Quote' }).textContent()).toBe(
      'Quote',
    )
    load()
    await page.getByText('(no list: The service cannot be reached.)').waitFor()
    await page.clock.runFor(10_000)
    await page.getByLabel('Size').getByText('2048×2048').waitFor({ state: 'attached' })
    expect(asked).toBe(2)
    await page.close()
  })

  test('a chat model is shown while the image models are loading', async () => {
    const page = await site.browser.newPage()
    await page.route('**/v1/images/models', () => undefined)
    await page.goto(`${site.gateway.url}/models/openai/gpt-4.1-mini`)
    expect(await page.getByRole('heading', { name: 'GPT-4.1 Mini' }).textContent()).toBe(
      'GPT-4.1 Mini',
    )
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

  test('a list to choose from is as high as the field next to it', async () => {
    const page = await openPage('/models')
    const search = await page.getByLabel('Search').boundingBox()
    const maker = await page.getByLabel('Maker').boundingBox()
    expect(search).not.toBeNull()
    expect(maker?.height).toBe(search?.height)
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
    expect(await page.locator('.loading').isVisible()).toBe(false)
    const links = await text.locator('a').all()
    expect(links).toHaveLength(3)
    for (const link of links) {
      const address = `${site.gateway.url}/${await link.getAttribute('href')}`
      expect((await fetch(address)).status).toBe(200)
    }
    await page.close()
  })

  test('the home page of a service that sells nothing states that, and not how to pay it', async () => {
    const page = await site.browser.newPage()
    await page.route(`${site.gateway.url}/`, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace('"sells":true', '"sells":false')
      await route.fulfill({ response, body })
    })
    await page.goto(site.gateway.url)
    await page.getByText('This address only states prices: it sells nothing.').waitFor()
    expect(await page.locator('h1').textContent()).toBe('What an AI call costs')
    expect(await page.getByRole('heading', { name: 'How a call is paid' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Playground' }).count()).toBe(0)
    await page.close()
  })

  test('a page whose scripts are over the rate limit says what to do', async () => {
    const page = await site.browser.newPage()
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 429, body: '{}' }))
    await page.goto(site.gateway.url)
    await page.getByText('Loading… If nothing more appears, reload the page in a minute.').waitFor()
    await page.unrouteAll()
    await page.reload()
    await page.getByText('You get back').waitFor()
    expect(await page.locator('.loading').count()).toBe(0)
    await page.close()
  })

  test('the reference whose document is over the rate limit names the limit, and loads it after the wait', async () => {
    const page = await site.browser.newPage()
    let asked = 0
    await page.route('**/openapi.json', async (route) => {
      asked += 1
      if (asked > 1) return await route.continue()
      return await route.fulfill({ status: 429, headers: { 'retry-after': '1' }, body: '{}' })
    })
    await page.goto(`${site.gateway.url}/docs`)
    await page.getByRole('alert').getByText('Too many requests').waitFor()
    await page.getByRole('heading', { name: 'How to pay' }).waitFor()
    expect(asked).toBe(2)
    await page.close()
  })

  test('a page that is printed is dark on white, and its code is not cut off', async () => {
    const page = await site.browser.newPage({
      colorScheme: 'dark',
      viewport: { width: 718, height: 900 },
    })
    await page.goto(`${site.gateway.url}/models/openai/gpt-4.1-mini`)
    await page.emulateMedia({ media: 'print' })
    const code = page.getByRole('tabpanel').locator('pre')
    await code.waitFor()
    expect(await code.evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(29, 32, 35)')
    await page.close()
  })

  test('a long prompt is printed whole', async () => {
    const page = await openPage('/calculator')
    const prompt = page.getByLabel('Prompt')
    await prompt.fill('A line of a long prompt.\n'.repeat(60))
    await page.emulateMedia({ media: 'print' })
    expect(await prompt.evaluate((field) => field.scrollHeight - field.clientHeight)).toBe(0)
    await page.close()
  })

  test('an address that cannot be decoded is a page that was not found', async () => {
    const page = await openPage('/models/%E0%A4%A')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('link', { name: 'all models' }).click()
    await page.getByRole('heading', { name: 'Models and prices' }).waitFor()
    expect(await page.title()).toMatch('Models and prices')
    await page.close()
  })

  test('a service that cannot be reached is named, wherever a visitor asks', async () => {
    const page = await site.browser.newPage()
    await page.goto(site.gateway.url)
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
    expect(await docs.getByRole('heading', { name: 'Farebox' }).first().textContent()).toBe(
      'Farebox',
    )
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
