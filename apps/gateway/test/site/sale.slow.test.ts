// Purchases in the playground in a real browser: answers, lost connections and reloads.
import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAnswer, expectRefund, otherMachine, useSite } from './open-site.ts'

const site = useSite()

describe.skipIf(site.launch === undefined)('a sale', () => {
  async function openPlayground(page: Page): Promise<void> {
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByRole('button', { name: 'Get the price' }).click()
  }

  const limited = { status: 429, headers: { 'retry-after': '1' }, body: '{}' }
  const starting = { status: 503, headers: { 'retry-after': '0' }, body: '{}' }
  const breakOff = (route: Route) => route.abort('connectionreset')
  const answer = (answered: object) => (route: Route) => route.fulfill(answered)
  test.each<readonly [string, readonly ((route: Route) => Promise<void>)[]]>([
    ['breaks off', [breakOff]],
    ['ends at a proxy', [answer({ status: 504, body: 'gateway timeout' })]],
    ['is over the rate limit', [answer(limited)]],
    ['breaks off, and then is that of a service that starts,', [breakOff, answer(starting)]],
    [
      'ends at a proxy, and then is that of a service that starts,',
      [answer({ status: 502, body: '' }), answer(starting)],
    ],
  ])(
    'a paid request whose response %s is sent again, and gets the answer that was paid',
    async (_, losses) => {
      const page = await site.browser.newPage()
      const signatures: string[] = []
      await page.route('**/v1/chat/completions', async (route) => {
        const signature = route.request().headers()['payment-signature']
        if (signature === undefined) return await route.continue()
        const lose = losses[signatures.length]
        signatures.push(signature)
        if (lose === undefined) return await route.continue()
        if (signatures.length === 1) expect((await route.fetch()).status()).toBe(200)
        return await lose(route)
      })
      await openPlayground(page)
      await page.getByRole('button', { name: /of test money/ }).click()
      await expectRefund(page)
      await expectAnswer(page)
      expect(signatures).toEqual(Array.from({ length: losses.length + 1 }, () => signatures[0]))
      await page.close()
    },
  )

  test.each<readonly [string, readonly ((route: Route) => Promise<void>)[]]>([
    ['', []],
    [' although the service starts again', [answer(starting)]],
  ])('a page that is reloaded while it pays gets the answer that was paid%s', async (_, losses) => {
    const page = await site.browser.newPage()
    const signatures: string[] = []
    await page.route('**/v1/chat/completions', async (route) => {
      const signature = route.request().headers()['payment-signature']
      if (signature === undefined) return await route.continue()
      const lose = losses[signatures.push(signature) - 2]
      if (signatures.length > 1) return await (lose?.(route) ?? route.continue())
      await route.fetch()
      return await page.reload()
    })
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('How long is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    expect(await page.getByLabel('Prompt').inputValue()).toBe('How long is a fare box?')
    expect(signatures).toEqual(Array.from({ length: losses.length + 2 }, () => signatures[0]))
    await page.close()
  })

  test('an order whose response was lost can be sent again by a button while the service does not start', async () => {
    const page = await site.browser.newPage()
    let isDown = true
    const sent: string[] = []
    await page.route('**/v1/chat/completions', async (route) => {
      const signature = route.request().headers()['payment-signature']
      if (signature === undefined) return await route.continue()
      if (sent.push(signature) > 1)
        return await (isDown ? route.fulfill(starting) : route.continue())
      await route.fetch()
      return await breakOff(route)
    })
    await openPlayground(page)
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByRole('alert').waitFor()
    isDown = false
    await page.getByRole('button', { name: 'Send it again' }).click()
    await expectRefund(page)
    await expectAnswer(page)
    expect(new Set(sent).size).toBe(1)
    await page.close()
  })

  test('a page that is loaded again after a sale shows its answer and payment, and does not pay again', async () => {
    const page = await site.browser.newPage()
    const sent: string[] = []
    page.on('request', (request) => {
      const signature = request.headers()['payment-signature']
      if (signature !== undefined) sent.push(signature)
    })
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('How long is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByText('The answer is complete.').waitFor()
    await page.reload()
    await expectRefund(page)
    await expectAnswer(page)
    const receipt = await page.getByRole('link', { name: 'pay_' }).getAttribute('href')
    const record = await page.request.get(`${site.gateway.url}${receipt ?? ''}`)
    expect(await record.json()).toMatchObject({
      status: 'completed',
      refund: { status: 'confirmed' },
    })
    expect(await page.getByLabel('Prompt').inputValue()).toBe('How long is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).waitFor()
    await page.reload()
    await expectRefund(page)
    await expectAnswer(page)
    expect(sent).toHaveLength(1)
    await page.close()
  })

  test('the browser asks before the site is left while an answer streams, and no longer after it was stopped', async () => {
    const page = await site.browser.newPage()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('[[sandbox: tokens_per_second=20]] What is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByRole('region', { name: 'The answer' }).getByText('Farebox sandbox').waitFor()
    await page.getByRole('link', { name: 'Docs' }).dispatchEvent('click')
    await expect.poll(() => asked).toEqual(['beforeunload'])
    await page.getByRole('button', { name: 'Stop' }).click()
    await expectRefund(page)
    await page.getByRole('link', { name: 'Docs' }).click()
    await page.waitForURL('**/docs')
    await page.goBack()
    await expectRefund(page)
    await expectAnswer(page)
    expect(await page.getByRole('alert').textContent()).toMatch(/^Stopped\./)
    expect(asked).toHaveLength(1)
    await page.close()
  })

  test('a page that is reloaded while its answer streams shows the part that is billed, and the refund', async () => {
    const page = await site.browser.newPage()
    await page.goto(`${site.gateway.url}/playground`)
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

  test('an answer is formatted although the code for it was beyond the rate limit at first', async () => {
    const page = await site.browser.newPage()
    const asked: string[] = []
    await page.route(/\/assets\/markdown[^/]*\.js$/, async (route) => {
      asked.push(route.request().url())
      if (asked.length > 1) return await route.continue()
      await route.fulfill({
        status: 429,
        json: { error: 'Too many requests', code: 'RATE_LIMITED' },
      })
    })
    const failures: Error[] = []
    page.on('pageerror', (failure) => failures.push(failure))
    await page.goto(`${site.gateway.url}/playground`)
    await expect.poll(() => asked.length).toBe(1)
    await page.getByLabel('Prompt').fill('How long is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByText('The answer is complete.').waitFor()
    await page.getByRole('region', { name: 'The answer' }).locator('.prose').waitFor()
    expect(failures).toEqual([])
    await page.close()
  })

  test('an answer continues while another page is shown, and is still there afterwards', async () => {
    const page = await site.browser.newPage()
    const sent: string[] = []
    page.on('request', (request) => {
      const signature = request.headers()['payment-signature']
      if (signature !== undefined) sent.push(signature)
    })
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('[[sandbox: tokens_per_second=40]] What is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    for (const other of ['Images', 'Models']) {
      await page.getByRole('link', { name: other, exact: true }).click()
      await page.goBack()
    }
    const answer = page.getByRole('region', { name: 'The answer' })
    await answer.getByText('as a model would send it.').waitFor()
    await page.getByRole('link', { name: 'Models', exact: true }).click()
    await page.getByRole('link', { name: 'Playground' }).click()
    await expectRefund(page)
    await expectAnswer(page)
    expect(await page.getByLabel('Prompt').inputValue()).toContain('What is a fare box?')
    expect(sent).toHaveLength(1)
    await page.close()
  })

  test('the playground pays on a page that another machine serves by HTTP', async () => {
    const page = await site.browser.newPage()
    const { port } = new URL(site.gateway.url)
    await page.goto(`http://${otherMachine}:${port}/playground`)
    expect(await page.evaluate('isSecureContext')).toBe(false)
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await expectAnswer(page)
    await page.close()
  })

  test('a stream that breaks is asked for again, and shows all that was delivered', async () => {
    const page = await site.browser.newPage()
    await page.route('**/v1/chat/completions', async (route) => {
      const signature = route.request().headers()['payment-signature']
      if (signature === undefined || sent.push(signature) > 1) return await route.continue()
      const response = await route.fetch()
      const body = await response.text()
      return await route.fulfill({ response, body: body.slice(0, body.length / 2) })
    })
    const sent: string[] = []
    await openPlayground(page)
    await page.getByRole('button', { name: /of test money/ }).click()
    const answer = page.getByRole('region', { name: 'The answer' })
    await answer.getByText('as a model would send it.').waitFor()
    expect((await answer.textContent())?.match(/This is the Farebox sandbox/g)).toHaveLength(1)
    expect(sent).toEqual([sent[0], sent[0]])
    await expectRefund(page)
    await page.close()
  })

  test('an answer that is lost again and again is asked for once more by a button, and is not paid twice', async () => {
    const page = await site.browser.newPage()
    await page.clock.install()
    let isCut = true
    const sent: string[] = []
    await page.route('**/v1/chat/completions', async (route) => {
      const signature = route.request().headers()['payment-signature']
      if (signature === undefined) return await route.continue()
      sent.push(signature)
      const response = await route.fetch()
      const body = await response.text()
      await route.fulfill({ response, body: isCut ? body.slice(0, body.length / 2) : body })
    })
    await openPlayground(page)
    await page.getByRole('button', { name: /of test money/ }).click()
    const again = page.getByRole('button', { name: 'Send it again' })
    await expect
      .poll(async () => {
        await page.clock.runFor(2_000)
        return await again.isVisible()
      })
      .toBe(true)
    await page.getByText('nothing is paid twice').waitFor()
    isCut = false
    await again.click()
    const answer = page.getByRole('region', { name: 'The answer' })
    await answer.getByText('as a model would send it.').waitFor()
    expect(await again.isVisible()).toBe(false)
    expect(sent.length).toBeGreaterThan(2)
    expect(new Set(sent).size).toBe(1)
    await page.close()
  })

  test('an answer that reached its maximum length is not shown as complete', async () => {
    const page = await site.browser.newPage()
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('[[sandbox: tokens=3 finish=length]] What is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByRole('alert').getByText('it reached the maximum length').waitFor()
    expect(await page.getByText('The answer is complete.').count()).toBe(0)
    await page.close()
  })

  test('a price is forgotten when its length is deleted', async () => {
    const page = await site.browser.newPage()
    await openPlayground(page)
    const pay = page.getByRole('button', { name: /of test money/ })
    await pay.waitFor()
    await page.getByLabel('Longest answer').fill('')
    await page.getByRole('button', { name: 'Get the price' }).click()
    expect(await pay.count()).toBe(0)
    expect(await page.getByLabel('Longest answer').inputValue()).toBe('')
    await page.close()
  })

  test('an answer stays while the next question is typed, and the next price shows nothing of its payment', async () => {
    const page = await site.browser.newPage()
    await page.route('**/v1/payments/*', async (route) => {
      const response = await route.fetch()
      const record = await response.json()
      if (record.refund) Object.assign(record.refund, { status: 'due', transaction: null })
      await route.fulfill({ response, json: record })
    })
    await openPlayground(page)
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByText('on its way').waitFor()
    await page.getByLabel('Prompt').fill('And what is a turnstile?')
    await expectAnswer(page)
    const asked = page.waitForResponse('**/v1/payments/*')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).waitFor()
    await (await asked).finished()
    const timeline = page.getByRole('list', { name: 'The payment' })
    await timeline.getByText('at most').waitFor()
    expect(await timeline.textContent()).toMatch(
      /^Quoteat most \$0\.\d+SignatureSettlementAnswerRefund$/,
    )
    await page.close()
  })

  test('a purchase by keyboard keeps the focus at its next step', async () => {
    const page = await site.browser.newPage()
    await page.goto(`${site.gateway.url}/playground`)
    const next = page.getByRole('group', { name: 'The next step' })
    const isFocused = async () => await next.evaluate((group) => group.matches(':focus'))
    await page.getByRole('button', { name: 'Get the price' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /of test money/ }).waitFor()
    expect(await isFocused()).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expectRefund(page)
    await expectAnswer(page)
    expect(await isFocused()).toBe(true)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Get the price')
    await page.close()
  })

  test('an answer and its receipt stay until the next answer begins', async () => {
    const page = await site.browser.newPage()
    await openPlayground(page)
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    const receipt = await page.getByRole('link', { name: 'pay_' }).textContent()
    await page.getByLabel('Prompt').fill('And what is a turnstile?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    const pay = page.getByRole('button', { name: /of test money/ })
    await pay.waitFor()
    const previous = page.getByRole('region', { name: 'The previous answer' })
    expect(await previous.textContent()).toMatch(/Farebox sandbox.*You asked in 19 characters/)
    expect(await previous.getByRole('link', { name: 'pay_' }).textContent()).toBe(receipt)
    await pay.click()
    await page.getByText('The answer is complete.').waitFor({ state: 'attached' })
    expect(await previous.count()).toBe(0)
    expect(await page.getByText('You asked in 24 characters').count()).toBe(1)
    await page.close()
  })

  test('an image is bought at the size that was priced, though the list of sizes comes in between', async () => {
    const page = await site.browser.newPage()
    const sizes: unknown[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/generate')) sizes.push(request.postDataJSON().width)
    })
    await page.goto(`${site.gateway.url}/playground?kind=images`)
    await page.getByLabel('Size').selectOption('2048x2048')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await expectRefund(page)
    await page.route('**/v1/images/models', async (route) => await route.fulfill({ status: 503 }))
    await page.clock.install()
    await page.reload()
    await page.getByText('(no list:').waitFor()
    await page.getByRole('button', { name: 'Get the price' }).click()
    const pay = page.getByRole('button', { name: /of test money/ })
    await pay.waitFor()
    await page.unrouteAll()
    await page.clock.runFor(10_000)
    await page.getByLabel('Size').getByText('2048×2048').waitFor({ state: 'attached' })
    await pay.click()
    await expectRefund(page)
    expect(sizes).toEqual([2048, 2048, 2048, 2048])
    await page.close()
  })
})
