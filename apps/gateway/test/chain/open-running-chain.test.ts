import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRunningChain } from '../../src/chain/open-running-chain.ts'
import { readConfig } from '../../src/config.ts'

test('a devnet that is started only for a command leaves no files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'command-chain-'))
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  vi.stubEnv('TMPDIR', folder)
  const parsed = readConfig({ DATA_DIR: join(folder, 'data') })
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  const { rpcUrl, close } = await openRunningChain(parsed.config)
  expect(await createPublicClient({ transport: http(rpcUrl) }).getChainId()).toBe(84_532)
  await close()
  expect(await readdir(folder)).toEqual([])
})
