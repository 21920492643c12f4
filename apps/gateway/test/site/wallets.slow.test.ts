// Purchases with the wallets of a real browser.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAnswer, expectRefund, useSite } from './open-site.ts'

const site = useSite()

/** A wallet that keeps its first signature until the test releases it. */
const lateSignature = `window.ethereum = { request: async (call) => {
  const result = await wallet.request(call)
  if (call.method === 'eth_signTypedData_v4' && !window.late) await new Promise((sign) => { window.late = sign })
  return result
} }`

describe.skipIf(site.launch === undefined)('a purchase with a wallet', () => {
  /** A wallet that answers in the page with the keys of this test. It throws the codes that are given. */
  async function addWallet(page: Page, codes: Readonly<Record<string, number>> = {}) {
    const payer = site.gateway.account(3)
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
    await page.goto(`${site.gateway.url}/playground`)
    await page.getByRole('button', { name: 'Get the price' }).click()
  }

  test('a wallet of the browser signs once, on the chain of the payment', async () => {
    const page = await site.browser.newPage()
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

  test('a wallet that announces itself is named, and gets the chain that it lacks', async () => {
    const page = await site.browser.newPage()
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
    const page = await site.browser.newPage()
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

  test('a price is forgotten when its page is left, and a signature that comes later is not sent', async () => {
    const page = await site.browser.newPage()
    const calls = await addWallet(page)
    await page.addInitScript(lateSignature)
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

  test('a visitor need not wait for a wallet, and what it signs later is not sent', async () => {
    const page = await site.browser.newPage()
    const calls = await addWallet(page)
    await page.addInitScript(lateSignature)
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
