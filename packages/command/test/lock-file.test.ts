import { mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFile } from '../src/wallet/lock-file.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-lock-'))
  path = join(folder, 'one.lock')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('a lock whose file is gone when its owner is read is not removed', async () => {
  // The name exists, so that no file can be created there, and has nothing to read.
  await symlink(join(folder, 'missing'), path)
  expect(await lockFile(path)).toBeUndefined()
  expect(await readlink(path)).toBe(join(folder, 'missing'))
})

test('a release leaves the lock of a process that has taken it over', async () => {
  const lock = await lockFile(path)
  await writeFile(path, 'the mark of another')
  await lock?.release()
  expect(await readFile(path, 'utf8')).toBe('the mark of another')
})

test('a lock that is gone is released without an error', async () => {
  const lock = await lockFile(path)
  await rm(path)
  await lock?.release()
  expect(await lockFile(path)).toBeDefined()
})
