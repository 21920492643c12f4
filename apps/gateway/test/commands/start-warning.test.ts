import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runGateway } from '../contract/run-gateway.ts'

test('a start without a provider is logged with its fix', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-start-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { child, url, output, ended } = runGateway([], {
    NETWORK: 'base-sepolia',
    // Nothing listens there: the start needs no node.
    RPC_URL: 'http://127.0.0.1:1',
    TREASURY_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
    RELAYER_PRIVATE_KEY: `0x${'2'.repeat(64)}`,
    DATA_DIR: folder,
    PORT: '0',
  })
  await url
  child.kill('SIGTERM')
  await ended
  const line = output()
    .split('\n')
    .find((text) => text.includes('no provider is configured'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    level: 40,
    event: 'no_provider',
    fix: expect.stringContaining('OPENROUTER_API_KEY'),
  })
})
