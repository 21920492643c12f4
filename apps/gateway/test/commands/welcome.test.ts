import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDevnetFile } from '@farebox/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { welcomeText } from '../../src/welcome.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

let folder: string
let gateway: TestGateway
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  gateway = await openGateway({ DATA_DIR: folder, SANDBOX_PROVIDER: 'off' })
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

type Shown = { readonly rpcUrl?: string; readonly settings?: Readonly<Record<string, string>> }

async function welcome(
  chatModel: string | undefined,
  { rpcUrl = gateway.access.rpcUrl, settings }: Shown = {},
) {
  const read = readConfig({ DATA_DIR: folder, ...settings })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const devnet = await readDevnetFile(join(folder, 'devnet.json'))
  return welcomeText({ url: gateway.url, config: read.config, rpcUrl, devnet, chatModel })
}

test('a gateway that sells no chat model names the settings, and shows no request that would fail', async () => {
  const text = await welcome(gateway.chatModel)
  expect(text).toContain(
    'No chat model is sold. Set the key of a provider, such as OPENROUTER_API_KEY, or SANDBOX_PROVIDER=on.',
  )
  expect(text).not.toMatch(/curl|npm run/)
})

test('a gateway whose providers have no model names them and the setting of routes', async () => {
  const settings = {
    BEDROCK_API_KEY: 'k',
    BEDROCK_BASE_URL: 'http://127.0.0.1:1',
    VERTEX_API_KEY: 'k',
  }
  expect(await welcome(undefined, { settings })).toContain(
    'No chat model is sold: none has a route to bedrock or vertex. Add routes in CATALOG_OVERRIDES, as docs/catalog.md shows, or set the key of a provider,',
  )
})

test('one that sells shows a request of a model that it sells, and how to pay', async () => {
  expect(await welcome('openai/gpt-4.1-mini')).toMatch(
    /curl [\s\S]*"model":"openai\/gpt-4\.1-mini"[\s\S]*npm run farebox/,
  )
})

test('the chain is the one at RPC_URL, without its password', async () => {
  expect(await welcome(undefined, { rpcUrl: 'http://me:canary@127.0.0.1:1234/' })).toContain(
    'chain       http://127.0.0.1:1234 (devnet, chain id 84532;',
  )
})
