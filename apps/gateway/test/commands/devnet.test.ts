import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../../src/devnet.ts', import.meta.url))

test('npm run devnet says in a sentence why it cannot start', () => {
  const env = { PATH: process.env['PATH'], DATA_DIR: '/dev/null/farebox' }
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=farebox-source', program], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toMatch(/^DATA_DIR=\/dev\/null\/farebox is not writable \(ENOTDIR\)\. [^\n]+\n$/)
  expect(status).toBe(1)
})
