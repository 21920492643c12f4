import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium } from '../../testing/chromium.ts'
import { run } from '../run.ts'
import type { CheckedGateway } from './open-gateway.ts'
import { reportOfPage } from './report-of-page.ts'

type Output = { readonly name: string; readonly output: string }

/** What the program prints bundled for browsers: in a worker of workerd, and in Chromium if there is one. */
export async function bundledOutputs(
  folder: string,
  gateway: CheckedGateway,
): Promise<readonly Output[]> {
  const bundles = ['worker', 'page'].map((entry) => {
    const options = ['--bundle', '--minify', '--format=esm', '--platform=browser']
    const out = `--outfile=${entry}.bundle.js`
    return run(bin(folder, 'esbuild'), [`${entry}.js`, ...options, out], { cwd: folder })
  })
  const broken = bundles.find(({ succeeded }) => !succeeded)
  if (broken !== undefined) return [{ name: 'esbuild', output: broken.output }]
  const query = (): string =>
    `?${new URLSearchParams({ url: gateway.url, key: gateway.nextPayer() }).toString()}`
  return [
    { name: 'workerd: client', output: await worked(folder, query()) },
    ...(await browsed(folder, query())),
  ]
}

function bin(folder: string, name: string): string {
  return join(folder, 'node_modules/.bin', name)
}

/** Asks the worker once. workerd writes a line of JSON with its port. */
async function worked(folder: string, query: string): Promise<string> {
  const options = ['serve', 'workerd.capnp', '--control-fd=1']
  const server = spawn(bin(folder, 'workerd'), options, { cwd: folder })
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let text = ''
      server.stdout.on('data', (bytes: Buffer) => {
        text += bytes.toString()
        const found = /"port":(\d+)/.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      })
      server.once('error', reject)
      server.once('exit', () => {
        reject(new Error(`workerd did not start: ${text}`))
      })
    })
    return await (await fetch(`http://127.0.0.1:${port}/${query}`)).text()
  } finally {
    server.kill()
  }
}

async function browsed(folder: string, query: string): Promise<readonly Output[]> {
  const launch = findChromium()
  if (launch === undefined) return []
  const bundle = readFileSync(join(folder, 'page.bundle.js'), 'utf8')
  const page = join(folder, 'page.html')
  // In the head: the body stays empty until the program has written into it.
  writeFileSync(page, `<!doctype html><script type="module">${bundle}</script><body></body>`)
  return [
    { name: 'Chromium: client', output: await reportOfPage(launch, `file://${page}${query}`) },
  ]
}
