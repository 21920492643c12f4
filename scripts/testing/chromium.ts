import { announceSkip } from './announce-skip.ts'
import { findOnPath } from './find-binary.ts'

/** How the browser of this machine is started. */
export type ChromiumLaunch = { readonly executablePath: string; readonly args: readonly string[] }

/** The browser of `CHROMIUM_PATH` or PATH; undefined, and one line on standard error, without one. */
export function findChromium(): ChromiumLaunch | undefined {
  const executablePath =
    process.env['CHROMIUM_PATH'] ??
    findOnPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
  if (executablePath === undefined) {
    announceSkip('Chromium', 'set CHROMIUM_PATH or install chromium')
    return undefined
  }
  // The browser's sandbox does not work for root; there alone is it switched off.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, args: [...silent, ...asRoot] }
}

/** Keeps the browser from speaking to anybody but the pages under test. */
const silent = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
]
