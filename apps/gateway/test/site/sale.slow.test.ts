// Purchases in the playground in a real browser: wallets, lost connections and reloads.
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../../../scripts/testing/chromium.ts'
import type { TestGateway } from '../support/open-gateway.ts'
import { expectAnswer, expectRefund, openSite, otherMachine } from './open-site.ts'

const launch = findChromium()

let gateway: TestGateway
let browser: Browser
let close: (() => Promise<void>) | undefined

beforeAll(async () => {
  if (launch !== undefined) ({ gateway, browser, close } = await openSite(launch))
})
afterAll(async () => {
  await close?.()
})

describe.skipIf(launch === undefined)('a sale', () => {
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

  const limited = { status: 429, headers: { 'retry-after': '1' }, body: '{}' }
  test.each([
    ['breaks off', (route: Route) => route.abort('connectionreset')],
    ['ends at a proxy', (route: Route) => route.fulfill({ status: 504, body: 'gateway timeout' })],
    ['is over the rate limit', (route: Route) => route.fulfill(limited)],
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
    await page.close()
  })

  test('a page that is loaded again after a sale shows its answer and payment, and does not pay again', async () => {
    const page = await browser.newPage()
    const sent: string[] = []
    page.on('request', (request) => {
      const signature = request.headers()['payment-signature']
      if (signature !== undefined) sent.push(signature)
    })
    await page.goto(`${gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('How long is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByText('The answer is complete.').waitFor()
    await page.reload()
    await expectRefund(page)
    await expectAnswer(page)
    const receipt = await page.getByRole('link', { name: 'pay_' }).getAttribute('href')
    const record = await page.request.get(`${gateway.url}${receipt ?? ''}`)
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
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.goto(`${gateway.url}/playground`)
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

  test('an answer continues while another page is shown, and is still there afterwards', async () => {
    const page = await browser.newPage()
    const sent: string[] = []
    page.on('request', (request) => {
      const signature = request.headers()['payment-signature']
      if (signature !== undefined) sent.push(signature)
    })
    await page.goto(`${gateway.url}/playground`)
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

  test('a price is forgotten when its page is left, and a signature that comes later is not sent', async () => {
    const page = await browser.newPage()
    const calls = await addWallet(page)
    await page.addInitScript(`window.ethereum = { request: async (call) => {
      const result = await wallet.request(call)
      if (call.method === 'eth_signTypedData_v4') await new Promise((sign) => { window.late = sign })
      return result
    } }`)
    const sent: string[] = []
    page.on('request', (request) => {
      const signature = request.headers()['payment-signature']
      if (signature !== undefined) sent.push(signature)
    })
    await openPlayground(page)
    await page.getByRole('button', { name: /with your wallet/ }).click()
    await expect.poll(async () => await page.evaluate('window.late !== undefined')).toBe(true)
    await page.getByRole('link', { name: 'Models', exact: true }).click()
    await page.getByRole('heading', { name: 'Models and prices' }).waitFor()
    await page.evaluate('window.late()')
    await page.goBack()
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /with your wallet/ }).waitFor()
    expect(calls).toContain('eth_signTypedData_v4')
    expect(sent).toEqual([])
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

  test('a stream that breaks is asked for again, and shows all that was delivered', async () => {
    const page = await browser.newPage()
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
    const page = await browser.newPage()
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

  test('an answer that reached its longest length is not shown as complete', async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.url}/playground`)
    await page.getByLabel('Prompt').fill('[[sandbox: tokens=3 finish=length]] What is a fare box?')
    await page.getByRole('button', { name: 'Get the price' }).click()
    await page.getByRole('button', { name: /of test money/ }).click()
    await page.getByRole('alert').getByText('it reached the longest length').waitFor()
    expect(await page.getByText('The answer is complete.').count()).toBe(0)
    await page.close()
  })

  test('an answer stays while the next question is typed, and the next price shows nothing of its payment', async () => {
    const page = await browser.newPage()
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

  test('an answer and its receipt stay until the next answer begins', async () => {
    const page = await browser.newPage()
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
    const page = await browser.newPage()
    const sizes: unknown[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/generate')) sizes.push(request.postDataJSON().width)
    })
    await page.goto(`${gateway.url}/playground?kind=images`)
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

  test('a visitor need not wait for a wallet, and what it signs later is not sent', async () => {
    const page = await browser.newPage()
    const calls = await addWallet(page)
    await page.addInitScript(`window.ethereum = { request: async (call) => {
      const result = await wallet.request(call)
      if (call.method === 'eth_signTypedData_v4' && !window.late) await new Promise((sign) => { window.late = sign })
      return result
    } }`)
    const sent: string[] = []
    page.on('request', (request) => {
      const signature = request.headers()['payment-signature']
      if (signature !== undefined) sent.push(signature)
    })
    await openPlayground(page)
    const pay = page.getByRole('button', { name: /with your wallet/ })
    await pay.click()
    await expect.poll(async () => await page.evaluate('window.late !== undefined')).toBe(true)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await pay.waitFor()
    await page.evaluate('window.late()')
    await pay.click()
    await expectRefund(page)
    expect(calls.filter((call) => call === 'eth_signTypedData_v4')).toHaveLength(2)
    expect(sent).toHaveLength(1)
    await page.close()
  })
})
