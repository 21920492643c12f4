import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'

test.each([
  ['REDIS_URL', 'redis://127.0.0.1/abc', /^REDIS_URL is not valid: its path is the number/],
  ['REDIS_URL', 'redis://:canary%zz@127.0.0.1', /^REDIS_URL is not valid: its path is the number/],
  ['TRUST_PROXY', ',', /^TRUST_PROXY contains "": use loopback/],
  ['DATABASE_URL', 'sqlite::memory:', /^DATABASE_URL is not a valid database URL/],
  ['BEDROCK_REGION', 'us east', /^BEDROCK_REGION must be letters, digits and hyphens/],
  ['VERTEX_LOCATION', 'a.test/', /^VERTEX_LOCATION must be letters, digits and hyphens/],
])('%s=%s is a mistake of the configuration', (name, value, problem) => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' }
  const parsed = readConfig({ ...keys, [name]: value })
  expect(parsed).toMatchObject({ problems: [expect.stringMatching(problem)] })
})

test.each(['redis://127.0.0.1', 'redis://127.0.0.1/', 'rediss://user:100%25@127.0.0.1:6380/15'])(
  'REDIS_URL=%s is valid',
  (value) => {
    expect(readConfig({ REDIS_URL: value })).toMatchObject({ config: { REDIS_URL: value } })
  },
)
