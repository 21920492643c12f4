import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { readRecords } from '../../src/calibrate/read-records.ts'
import { tokenizer } from '../../src/o200k-base.ts'

const record = { messages: [{ role: 'user', content: 'hi' }], inputTokens: 9 }
const line = JSON.stringify(record)
const folder = mkdtempSync(join(tmpdir(), 'farebox-records-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(...lines: readonly string[]): unknown {
  return readRecords(lines.join('\n'), 'claude', tokenizer)
}

test('each line with a request is a record', () => {
  expect(read(line, '', line, '')).toHaveLength(2)
})

test.each([
  ['not JSON', /^line 2: .*is not valid JSON/],
  ['[]', /^line 2: a record must be an object with messages$/],
  [JSON.stringify({ inputTokens: 9 }), /^line 2: messages must be an array/],
  [
    JSON.stringify({ ...record, inputTokens: undefined }),
    /^line 2: inputTokens must be an integer/,
  ],
  [JSON.stringify({ ...record, inputTokens: -9 }), /^line 2: inputTokens must be an integer/],
  [JSON.stringify({ ...record, inputTokens: '9' }), /^line 2: inputTokens must be an integer/],
])('%s is not a record, and its line is named', (wrong, message) => {
  expect(() => read(line, wrong, line)).toThrow(message)
})

test('a byte order mark before the first record is left out', () => {
  expect(read(`\uFEFF${line}`, line)).toHaveLength(2)
})

test('factors are not fitted to nothing', () => {
  expect(() => read('', ' ')).toThrow(/^there are no records/)
})

const command = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

test.each([
  ['calibrate', 'claude', `${line}\nnot JSON\n`, /^\S+: line 2: .*is not valid JSON\n$/],
  ['convert', 'llama3', '{}', /^\S+: The vocabulary has no model: use a tokenizer\.json\n$/],
])(
  'the command %s names the file and its mistake, without a stack',
  (verb, name, text, message) => {
    const file = join(folder, verb)
    writeFileSync(file, text)
    const words = ['--conditions=farebox-source', command, verb, name, file, join(folder, 'out')]
    const run = (): string =>
      execFileSync(process.execPath, words, { stdio: 'pipe', encoding: 'utf8' })
    expect(run).toThrow(
      expect.objectContaining({ status: 1, stderr: expect.stringMatching(message) }),
    )
  },
)
