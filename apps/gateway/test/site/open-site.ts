import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { siteDirectory } from '@farebox/web'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ChromiumLaunch, findChromium } from '../../../../scripts/testing/chromium.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

/** A name by which the browser does not trust HTTP, as it trusts that of its own machine. */
export const otherMachine = 'gateway.test'

export type TestSite = {
  /** Undefined without a browser: the tests are skipped. */
  readonly launch: ChromiumLaunch | undefined
  readonly gateway: TestGateway
  readonly browser: Browser
}

/** A site and a browser for the tests of a file, opened before the first and closed after the last. */
export function useSite(): TestSite {
  const launch = findChromium()
  let opened: Awaited<ReturnType<typeof openSite>>
  beforeAll(async () => {
    if (launch !== undefined) opened = await openSite(launch)
  })
  afterAll(async () => {
    if (launch !== undefined) await opened.close()
  })
  return {
    launch,
    get gateway() {
      return opened.gateway
    },
    get browser() {
      return opened.browser
    },
  }
}

/** A gateway with its site, which is built if it is missing, and a browser. */
async function openSite(launch: ChromiumLaunch) {
  const web = dirname(dirname(siteDirectory))
  const vite = join(web, 'node_modules/vite/bin/vite.js')
  if (!existsSync(siteDirectory)) execFileSync(process.execPath, [vite, 'build'], { cwd: web })
  const gateway = await openGateway()
  const args = [...launch.args, `--host-resolver-rules=MAP ${otherMachine} 127.0.0.1`]
  const browser = await chromium.launch({ ...launch, args })
  const close = async (): Promise<void> => {
    await browser.close()
    await gateway.stop()
  }
  return { gateway, browser, close }
}

export async function expectRefund(page: Page): Promise<void> {
  const timeline = page.getByRole('list', { name: 'The payment' })
  await timeline.getByText('received').waitFor()
  expect(await timeline.textContent()).toMatch(/Quoteat most \$0\.\d+.*paid 0x.*cost \$/)
}

export async function expectAnswer(page: Page): Promise<void> {
  expect(await page.getByRole('region', { name: 'The answer' }).textContent()).toContain('sandbox')
}
