import { expect, test } from 'vitest'
import {
  azureProfile,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  createRunwareProvider,
} from '../../src/index.ts'

test.each([
  ['sk-…', /^apiKey must be /],
  ['sk-1\n', /^apiKey must be /],
])('a key that a header cannot hold throws at construction: %j', (apiKey, message) => {
  for (const create of [
    () =>
      createOpenAiCompatibleProvider({ profile: azureProfile, apiKey, baseUrl: 'http://[::1]' }),
    () => createAnthropicProvider({ apiKey }),
    () => createGeminiProvider({ apiKey }),
    () => createRunwareProvider({ apiKey }),
  ]) {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  }
})

test.each([
  ['timeouts.firstToken must be milliseconds above 0', { firstToken: Number.NaN }],
  ['timeouts.total must be milliseconds above 0', { total: Number.POSITIVE_INFINITY }],
  ['timeouts.idle must be milliseconds above 0', { idle: '5s' }],
  ['timeouts has no firsttoken', { firsttoken: 5 }],
])(
  'a timeout that would end every call, or have no effect, throws at construction: %s',
  (message, timeouts) => {
    const options = { apiKey: 'sk-1', timeouts: timeouts as never }
    expect(() => createAnthropicProvider(options)).toThrow(TypeError)
    expect(() => createAnthropicProvider(options)).toThrow(message)
  },
)
