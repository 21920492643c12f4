import { chromium } from 'playwright-core'
import type { ChromiumLaunch } from '../../testing/chromium.ts'

const limitMs = 120_000

/**
 * The text that the page writes into its body, or the error that stops its script. It waits for
 * real time: Chromium's virtual time ends before a chain confirms anything.
 */
export async function reportOfPage(launch: ChromiumLaunch, url: string): Promise<string> {
  const browser = await chromium.launch({ ...launch, args: [...launch.args] })
  try {
    const page = await browser.newPage()
    const fault = page.waitForEvent('pageerror', { timeout: limitMs }).then(String, String)
    await page.goto(url, { timeout: limitMs })
    const text = page.locator('body:not(:empty)').textContent({ timeout: limitMs })
    return (await Promise.race([fault, text])) ?? ''
  } finally {
    await browser.close()
  }
}
