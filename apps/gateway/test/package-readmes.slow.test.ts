// A faster check of the same: `npm run check -- pages` compiles the examples.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeBlocks } from '../../../scripts/readmes/parse-markdown.ts'
import { openGateway, type TestGateway } from './support/open-gateway.ts'

const run = promisify(execFile)
const packages = fileURLToPath(new URL('../../../packages', import.meta.url))

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(async () => {
  await gateway.stop()
})

type Page = readonly [name: string, block: number, printed: RegExp]

// Each ends by itself, and fails by its exit status.
const pages: readonly Page[] = [
  ['client', 0, /sandbox.*cost 0\.\d+ USDC, refunded 0\.\d+ in 0x/s],
  ['client', 1, /^This is the Farebox sandbox/],
  ['client', 2, /^0x[0-9a-f]{64} \d+n$/m],
  ['ai-sdk-provider', 0, /^This is the Farebox sandbox.* \d+n$/ms],
  ['devnet', 0, /^0n$/m],
  ['devnet', 1, /^$/],
  ['devnet', 2, /^http:/],
  ['devnet', 3, /^1$/m],
  ['storefront', 0, /^\d+n$/m],
  ['settings', 0, /^4020$/m],
]

test.each(pages)('the page of %s: example %i runs as it is', async (name, place, printed) => {
  const folder = join(packages, name)
  const blocks = codeBlocks(readFileSync(join(folder, 'README.md'), 'utf8'))
  const code = blocks.filter(({ language }) => language === 'ts')[place]?.code ?? ''
  const program = code
    .replaceAll('http://127.0.0.1:4020', gateway.url)
    .replace(/0x(?:0123456789abcdef){4}/, gateway.payer(place).privateKey)
  const options = ['--conditions=farebox-source', '--input-type=module-typescript', '--eval']
  const { stdout } = await run('node', [...options, program], { cwd: folder })
  expect(stdout).toMatch(printed)
})
