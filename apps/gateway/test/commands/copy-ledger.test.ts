import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLedger } from '@farebox/ledger/sql'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyLedger } from '../../src/commands/copy-ledger.ts'
import { newSale } from '../support/new-sale.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-copy-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a copy that is made during writes has each payment that was recorded before', async () => {
  const [source, copy] = [join(folder, 'ledger.sqlite'), join(folder, 'copy.sqlite')]
  const store = await openLedger({ url: `sqlite:${source}` })
  const before = [1, 2, 3].map(newSale)
  for (const payment of before) await store.claim(payment)
  const during = Promise.all([4, 5, 6].map((number) => store.claim(newSale(number))))
  const copied = await copyLedger(source, copy)
  await during
  await store.close()

  const restored = await openLedger({ url: `sqlite:${copy}` })
  const found = await Promise.all(before.map(({ id }) => restored.load(id)))
  expect(found.map((payment) => payment?.id)).toEqual(before.map(({ id }) => id))
  expect(copied.payments).toBeGreaterThanOrEqual(3)
  expect((await stat(copy)).mode & 0o777).toBe(0o600)
  await restored.close()
})

test('nothing is overwritten', async () => {
  const [source, taken] = [join(folder, 'ledger.sqlite'), join(folder, 'taken.sqlite')]
  await writeFile(taken, 'mine')
  await expect(copyLedger(source, taken)).rejects.toMatchObject({
    code: 'target_exists',
    isSourceFault: false,
  })
  expect(await readFile(taken, 'utf8')).toBe('mine')
})

test('of two copies to one place at the same time, one is made and the other is refused', async () => {
  const source = join(folder, 'ledger.sqlite')
  const place = await mkdtemp(join(folder, 'twice-'))
  const target = join(place, 'copy.sqlite')
  const copies = await Promise.allSettled([1, 2].map(() => copyLedger(source, target)))
  expect(copies.toSorted((a, b) => (a.status < b.status ? -1 : 1))).toMatchObject([
    { status: 'fulfilled', value: { payments: expect.any(Number) } },
    { status: 'rejected', reason: { code: 'target_exists', isSourceFault: false } },
  ])
  expect(await readdir(place)).toEqual(['copy.sqlite'])
})

test('a copy is made although an earlier one was killed and left its file, which stays', async () => {
  const source = join(folder, 'ledger.sqlite')
  const place = await mkdtemp(join(folder, 'killed-'))
  const target = join(place, 'copy.sqlite')
  const left = `${target}.${process.pid}.part`
  await writeFile(left, 'half of a copy')
  expect((await copyLedger(source, target)).payments).toBeGreaterThan(0)
  expect(await readFile(left, 'utf8')).toBe('half of a copy')
})

test('a folder that cannot be made ends the copy', async () => {
  const copying = copyLedger(join(folder, 'ledger.sqlite'), '/proc/farebox/copy.sqlite')
  await expect(copying).rejects.toThrow('/proc/farebox')
})

test('a copy that fails midway names both places, and leaves no file', async () => {
  const [source, target] = [join(folder, 'damaged.sqlite'), join(folder, 'midway', 'new.sqlite')]
  await (await openLedger({ url: `sqlite:${source}` })).close()
  const database = new Sqlite(source)
  const root = "select rootpage from sqlite_master where name = 'channel'"
  const page = Number(database.prepare(root).pluck().get())
  const size = Number(database.pragma('page_size', { simple: true }))
  database.close()
  const disk = await open(source, 'r+')
  await disk.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  await disk.close()
  await expect(copyLedger(source, target)).rejects.toMatchObject({
    code: 'not_copied',
    isSourceFault: true,
    message: `${source} could not be copied to ${join(folder, 'midway')}: database disk image is malformed`,
  })
  expect(await readdir(join(folder, 'midway'))).toEqual([])
})

test('the leftover log of another ledger is never replayed into a copy', async () => {
  const [source, target] = [join(folder, 'ledger.sqlite'), join(folder, 'left.sqlite')]
  await writeFile(`${target}-wal`, '')
  await expect(copyLedger(source, target)).rejects.toMatchObject({ code: 'target_exists' })
})

test('what is not a ledger is not copied, and leaves no file', async () => {
  const text = join(folder, 'text.sqlite')
  await writeFile(text, 'not a ledger')
  for (const source of [text, join(folder, 'missing.sqlite')]) {
    const copying = copyLedger(source, join(folder, 'new.sqlite'))
    await expect(copying).rejects.toMatchObject({ code: 'not_a_ledger' })
  }
  expect((await readdir(folder)).filter((name) => name.startsWith('new'))).toEqual([])
})
