import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { settingWarnings } from '../../src/setting-warnings.ts'

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

test('a value in quotes is named', () => {
  const quoted = { DATA_DIR: '"/var/lib/farebox"', HOST: "'::1'", OPENROUTER_API_KEY: '"' }
  expect(settingWarnings(quoted)).toEqual([
    'The value of HOST is in quotes, and they count. Remove them.',
    'The value of DATA_DIR is in quotes, and they count. Remove them.',
  ])
})

test('a value that begins or ends with white space is named', () => {
  const padded = {
    HOST: '127.0.0.1\r',
    DATABASE_URL: 'sqlite:ledger.db ',
    PUBLIC_URL: 'http://a.test',
  }
  expect(settingWarnings(padded)).toEqual([
    expect.stringMatching(/^The value of HOST begins or ends with white space/),
    expect.stringMatching(/^The value of DATABASE_URL begins or ends with white space/),
  ])
})

test('a setting without the one that it belongs to is named', () => {
  const text = 'AZURE_CLIENT_ID has no effect without AZURE_TENANT_ID. Set both, or neither.'
  expect(settingWarnings({ AZURE_CLIENT_ID: 'a' })).toEqual([text])
  expect(settingWarnings({ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID: '' })).toEqual([text])
  expect(settingWarnings({ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID: 'b' })).toEqual([])
  expect(settingWarnings({ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID_FILE: '/run/secrets/b' })).toEqual(
    [],
  )
})
