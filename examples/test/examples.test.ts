import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFareboxClient } from '@farebox/client'
import { type Devnet, openDevnet } from '@farebox/devnet'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appProgram } from '../../scripts/testing/app-program.ts'
import { end, example, lineOf, outputOf, type Settings, start } from './run-program.ts'

let folder = ''
let devnet: Devnet

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-examples-'))
  devnet = await openDevnet(folder)
})
afterAll(async () => {
  await devnet.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('count-tokens counts without a network', async () => {
  const output = await outputOf(start(example('count-tokens.ts'), ['hello world']))
  expect(output).toMatch(/openai-o200k +2 tokens \(exact\)/)
})

test('an example without a devnet names the missing file and the commands that write it', () => {
  const DATA_DIR = join(folder, 'empty')
  const ended = spawnSync(process.execPath, example('pay-with-client.ts'), {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...process.env, DATA_DIR },
    encoding: 'utf8',
  })
  expect(ended.status).toBe(1)
  expect(ended.stderr).toBe(
    `${join(DATA_DIR, 'devnet.json')} does not exist: run \`npm start\` or \`npm run devnet\` first\n`,
  )
})

test('withdraw-from-channel without a channel names what is missing', () => {
  const args = [...example('withdraw-from-channel.ts'), join(folder, 'devnet.json')]
  const cwd = join(import.meta.dirname, '..', '..')
  const ended = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  expect(ended.status).toBe(2)
  expect(ended.stderr).toBe('Pass the id of the channel after devnet.json: 0x and 64 digits\n')
})

test('sell-a-route serves a paid request', async () => {
  const seller = start(example('sell-a-route.ts'), [join(folder, 'devnet.json')], { PORT: '0' })
  try {
    const url = await lineOf(seller, /(http:\S+\/shout)/)
    const [, , payer] = devnet.payers
    const buyer = createFareboxClient({
      baseUrl: url,
      ...(payer && { account: privateKeyToAccount(payer.privateKey) }),
      networks: ['base-sepolia'],
    })
    const headers = { 'content-type': 'text/plain' }
    const response = await buyer.fetch(url, { method: 'POST', headers, body: 'hello you' })
    expect(await response.text()).toBe('HELLO! YOU! ')
  } finally {
    await end(seller)
  }
})

describe('with a running gateway', () => {
  let gateway: ChildProcess
  let settings: Settings
  beforeAll(async () => {
    gateway = start(appProgram('gateway'), [], {
      DATA_DIR: folder,
      RPC_URL: devnet.rpcUrl,
      PORT: '0',
    })
    const FAREBOX_URL = await lineOf(gateway, /"event":"listening","url":"([^"]+)"/)
    settings = { FAREBOX_URL, DATA_DIR: folder }
  })
  afterAll(() => end(gateway))

  test.each(['pay-with-openai.ts', 'pay-with-client.ts'])('%s pays and streams', async (file) => {
    const output = await outputOf(start(example(file), [], settings))
    expect(output).toMatch(/sandbox/i)
    expect(output).toMatch(/\d+ tokens|paid 0\.\d+, cost 0\.\d+, refunded 0\.\d+ in 0x/)
  })
})
