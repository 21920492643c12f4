import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  describeProblems,
  describeSettings,
  httpUrl,
  integer,
  oneOf,
  readSettingFiles,
  readSettings,
  type SettingTable,
  setting,
  settingWarnings,
} from '../src/index.ts'

const table = {
  PORT: setting(integer(0, 65_535).default(80), '80', 'port to listen on'),
  LEVEL: setting(oneOf(['info', 'warn', 'error']).default('info'), 'info', 'log level'),
  URL: setting(httpUrl.optional(), 'none', 'URL of a node'),
  KEY: setting(z.string().optional(), 'none', 'key of the node'),
} as const satisfies SettingTable

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const read = readSettings(table, environment, ({ URL, KEY }) =>
    KEY !== undefined && URL === undefined ? ['URL is required with KEY.'] : [],
  )
  return read.status === 'invalid' ? read.problems : []
}

test('unset and empty variables take their defaults', () => {
  expect(readSettings(table, { PORT: '', LEVEL: 'warn', OTHER: 'x' })).toEqual({
    status: 'valid',
    values: { PORT: 80, LEVEL: 'warn', URL: undefined, KEY: undefined },
  })
})

test.each([
  ['PORT', '65536', 'PORT must be an integer from 0 to 65535, not "65536".'],
  ['PORT', '1.5', 'PORT must be an integer from 0 to 65535, not "1.5".'],
  ['PORT', '-1', 'PORT must be an integer from 0 to 65535, not "-1".'],
  ['LEVEL', 'loud', 'LEVEL must be info, warn or error, not "loud".'],
  ['URL', 'ftp://key@node', 'URL is not a valid URL: use http:// or https://.'],
])('%s=%s: %s', (name, text, problem) => {
  expect(problemsOf({ [name]: text })).toEqual([problem])
})

test('contradictions are reported with other problems, but not for an invalid variable', () => {
  expect(problemsOf({ PORT: 'x', KEY: 'k' }).map((text) => text.split(' ')[0])).toEqual([
    'PORT',
    'URL',
  ])
  expect(problemsOf({ URL: 'x', KEY: 'k' })).toEqual([
    'URL is not a valid URL: use http:// or https://.',
  ])
})

test('a contradiction that names an invalid variable is not reported', () => {
  const read = readSettings(table, { URL: 'x', KEY: 'k' }, ({ URL, KEY }) =>
    (URL === undefined) === (KEY === undefined) ? [] : ['KEY and URL must be set together.'],
  )
  expect(read).toEqual({
    status: 'invalid',
    problems: ['URL is not a valid URL: use http:// or https://.'],
  })
})

test('--help shows each variable with its meaning and default, in columns as wide as the longest name', () => {
  const name = 'A_VARIABLE_WITH_A_NAME_OF_MANY_WORDS'
  expect(describeSettings({ PORT: table.PORT, [name]: table.LEVEL })).toBe(
    [
      `  ${'PORT'.padEnd(name.length)} port to listen on (default: 80)`,
      `  ${name} log level (default: info)`,
    ].join('\n'),
  )
})

test('a variable whose name is close to that of a setting is reported, unless that one is set too', () => {
  const table = { OPENAI_API_KEY: setting(z.string().optional(), 'none', 'key') }
  const environment = {
    OPENAI_API_KEYY: 'a',
    OPENA_API_KEY: 'b',
    openai_api_key: 'c',
    OPENAI_MODEL: 'd',
    HOME: '/',
  }
  const problem = 'is not a setting and has no effect. Did you mean OPENAI_API_KEY?'
  expect(settingWarnings(table, environment)).toEqual([
    `OPENAI_API_KEYY ${problem}`,
    `OPENA_API_KEY ${problem}`,
    `openai_api_key ${problem}`,
  ])
  expect(settingWarnings(table, { ...environment, OPENAI_API_KEY: 'e' })).toEqual([])
})

test('a variable that lacks the unit of a setting is reported, and one that lacks more is not', () => {
  const usdc = setting(z.string().optional(), 'none', 'USDC')
  const table = { REFUND_CAP_USDC: usdc, REFUND_CAP_PER_HOUR_USDC: usdc }
  const environment = { REFUND_CAP: '1', REFUND_CAP_PER_HOUR: '2', REFUND_CAP_PER: '3' }
  expect(settingWarnings(table, environment)).toEqual([
    'REFUND_CAP is not a setting and has no effect. Did you mean REFUND_CAP_USDC?',
    'REFUND_CAP_PER_HOUR is not a setting and has no effect. Did you mean REFUND_CAP_PER_HOUR_USDC?',
  ])
})

test('a setting behind a byte order mark has no effect, and is named', () => {
  const environment = { '\uFEFFPORT': '1', '\uFEFFOTHER': '2' }
  expect(settingWarnings(table, environment)).toEqual([
    'PORT has no effect: a byte order mark is before it. Save its file as UTF-8 without one.',
  ])
})

test('a value in quotes is named', () => {
  expect(settingWarnings(table, { URL: '"http://a.test"', KEY: "'k'", LEVEL: '"' })).toEqual([
    'The value of URL is in quotes, and they count. Remove them.',
    'The value of KEY is in quotes, and they count. Remove them.',
  ])
})

test('a value that begins or ends with white space is named', () => {
  expect(settingWarnings(table, { PORT: '80\r', KEY: ' k', URL: 'http://a.test' })).toEqual([
    expect.stringMatching(/^The value of PORT begins or ends with white space/),
    expect.stringMatching(/^The value of KEY begins or ends with white space/),
  ])
})

describe('settings from files', () => {
  const readText = (path: string): string => {
    if (path === '/run/secrets/key') return '0xabc\n'
    if (path === '/run/secrets/marked') return '\uFEFF0xabc\r\n'
    if (path === '/run/secrets/empty') return '\n'
    throw new Error(`ENOENT: no such file or directory, open '${path}'`)
  }

  test('KEY_FILE sets KEY to its text, without the end of the line', () => {
    const { environment, problems } = readSettingFiles(
      table,
      { KEY_FILE: '/run/secrets/key', PORT: '1', OTHER_FILE: '/missing' },
      readText,
    )
    expect(problems).toEqual([])
    expect(environment).toMatchObject({ KEY: '0xabc', PORT: '1' })
    expect(environment).not.toHaveProperty('OTHER')
  })

  test('a byte order mark is not a part of the text', () => {
    const marked = readSettingFiles(table, { KEY_FILE: '/run/secrets/marked' }, readText)
    expect(marked.environment).toMatchObject({ KEY: '0xabc' })
  })

  test('a file that cannot be read, and a value that is set together with its file', () => {
    const { environment, problems } = readSettingFiles(
      table,
      { KEY_FILE: '/missing', LEVEL_FILE: '/run/secrets/key', LEVEL: 'info' },
      readText,
    )
    expect(problems).toEqual([
      'LEVEL_FILE and LEVEL must not be set together.',
      "KEY_FILE cannot be read: ENOENT: no such file or directory, open '/missing'.",
    ])
    expect(environment).toMatchObject({ LEVEL: 'info' })
    expect(environment).not.toHaveProperty('KEY')
  })

  test('an empty file is a problem, and not the default', () => {
    const { problems } = readSettingFiles(table, { URL_FILE: '/run/secrets/empty' }, readText)
    expect(problems).toEqual(['URL_FILE is an empty file: /run/secrets/empty.'])
  })

  test('an empty KEY together with KEY_FILE counts as unset', () => {
    const { environment } = readSettingFiles(
      table,
      { KEY: '', KEY_FILE: '/run/secrets/key' },
      readText,
    )
    expect(environment['KEY']).toBe('0xabc')
  })
})

test('problems are a line each, below what they mean together', () => {
  expect(describeProblems(['PORT must be 1.', 'HOST is empty.'])).toBe(
    'The configuration is not valid:\n  PORT must be 1.\n  HOST is empty.\n',
  )
})
