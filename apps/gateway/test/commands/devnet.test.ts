import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pretendOlderNode } from '../../../../scripts/test/pretend-older-node.ts'

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

test('on a Node that is too old it says so in a sentence, or runs on the one that was downloaded', () => {
  const flags = ['--import', pretendOlderNode, '--conditions=farebox-source']
  const { status, stderr } = spawnSync(process.execPath, [...flags, program], {
    env: { PATH: process.env['PATH'], DATA_DIR: '/dev/null/farebox' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toMatch(/^(?:Farebox needs Node\.js 22\.19 or later|DATA_DIR=)[^\n]+\n$/)
  expect(status).not.toBe(0)
})
