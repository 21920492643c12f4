import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { unusedSettings } from '../../src/unused-settings.ts'

const onBase = {
  NETWORK: 'base',
  RPC_URL: 'http://127.0.0.1:1',
  TREASURY_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  RELAYER_PRIVATE_KEY: `0x${'22'.repeat(32)}`,
}

test.each([
  ['TREASURY_PRIVATE_KEY', 'is an empty file: /dev/null.', '/dev/null'],
  ['RPC_URL', 'cannot be read: ENOENT', '/nowhere/file'],
  ['RELAYER_PRIVATE_KEY', 'cannot be read: ENOENT', '/nowhere/file'],
])('%s whose file has no value is not called missing: it %s', (name, problem, file) => {
  const read = readConfig({ ...onBase, [name]: undefined, [`${name}_FILE`]: file })
  const problems = read.status === 'invalid' ? read.problems : []
  expect(problems).toEqual([expect.stringContaining(`${name}_FILE ${problem}`)])
})

test('a setting that is missing is named together with the file of another', () => {
  const rest = {
    NETWORK: 'base',
    RPC_URL_FILE: '/dev/null',
    TREASURY_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  }
  const read = readConfig(rest)
  expect(read.status === 'invalid' && read.problems).toEqual([
    'RPC_URL_FILE is an empty file: /dev/null.',
    expect.stringMatching(/^RELAYER_PRIVATE_KEY is required/),
  ])
})

test('a setting without the one that it belongs to is named', () => {
  const text = 'AZURE_CLIENT_ID has no effect without AZURE_TENANT_ID. Set both, or neither.'
  expect(unusedSettings({ AZURE_CLIENT_ID: 'a' })).toEqual([text])
  expect(unusedSettings({ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID: '' })).toEqual([text])
  expect(unusedSettings({ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID: 'b' })).toEqual([])
  expect(unusedSettings({ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID_FILE: '/run/secrets/b' })).toEqual(
    [],
  )
})
