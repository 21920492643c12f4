import { announceSkip } from './announce-skip.ts'
import { findOnPath } from './find-binary.ts'

/** The command that starts the browser of this machine. */
export type ChromiumLaunch = { readonly executablePath: string; readonly args: readonly string[] }

/** The browser of `CHROMIUM_PATH` or PATH; if not found, `undefined` and a line on standard error. */
export function findChromium(): ChromiumLaunch | undefined {
  const executablePath =
    process.env['CHROMIUM_PATH'] ??
    findOnPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
  if (executablePath === undefined) {
    announceSkip('Chromium', 'set CHROMIUM_PATH or install chromium')
    return undefined
  }
  // The browser's sandbox does not work for root, so disable it only there.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, args: [...silent, ...asRoot] }
}

/** Prevents the browser from connecting to anything but the pages under test. */
const silent = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
]
