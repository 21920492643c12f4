import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readKey } from '../src/wallet/read-key.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-key-'))
})
afterAll(() => rm(folder, { recursive: true }))

const key = `0x${'1'.repeat(64)}`

test.each([
  ['text', `${key}\n`],
  ['JSON', JSON.stringify({ privateKey: key })],
  ['a devnet.json', JSON.stringify({ payers: [{ privateKey: key }] })],
])('a byte order mark before a key file in %s is left out', async (format, text) => {
  const keyFile = join(folder, format)
  await writeFile(keyFile, `\uFEFF${text}`)
  expect(await readKey({ keyFile, environmentKey: undefined })).toBe(key)
})
