import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredChannel } from '@farebox/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type ChannelFileOptions,
  channelFile,
  lockChannelFile,
  openChannelFile,
  usedSlots,
} from '../src/wallet/channel-file.ts'

const address = `0x${'ab'.repeat(20)}` as const
const word = `0x${'cd'.repeat(32)}` as const
const otherId = `0x${'ef'.repeat(32)}` as const
const channel: StoredChannel = {
  id: word,
  gateway: 'http://127.0.0.1:4020',
  network: 'eip155:84532',
  config: {
    payer: address,
    payerAuthorizer: address,
    receiver: address,
    receiverAuthorizer: address,
    token: address,
    withdrawDelay: 86_400,
    salt: word,
  },
  balance: '100000',
  charged: '300',
}

let folder: string
let options: ChannelFileOptions
const pathOf = (slot: number): string =>
  join(folder, 'farebox', 'channels', `${address}-${slot}.json`)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-channels-'))
  options = { address, environment: { XDG_STATE_HOME: folder } }
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('channels are kept from one run to the next, for their owner alone', async () => {
  const first = await openChannelFile(options)
  expect(await first.store.load(word)).toBeUndefined()
  await Promise.all([
    first.store.save(channel),
    first.store.save({ ...channel, id: otherId }),
    first.store.save({ ...channel, charged: '600' }),
  ])
  await first.release()
  expect((await stat(pathOf(0))).mode & 0o777).toBe(0o600)
  const names = await readdir(join(folder, 'farebox', 'channels'))
  expect(names).toEqual([`${address}-0.json`])
  const second = await openChannelFile(options)
  expect(await second.store.load(word)).toEqual({ ...channel, charged: '600' })
  expect(await second.store.load(otherId)).toEqual({ ...channel, id: otherId })
  expect(await usedSlots(options)).toEqual([0])
})

test('processes that share a wallet get files and salts of their own', async () => {
  const first = await openChannelFile(options)
  const second = await openChannelFile(options)
  expect([first.salt, second.salt]).toEqual([`0x${'0'.repeat(64)}`, `0x${'0'.repeat(63)}1`])
  await second.store.save(channel)
  expect(await first.store.load(word)).toBeUndefined()
  expect(await lockChannelFile(0, options)).toBeUndefined()
  await first.release()
  expect((await openChannelFile(options)).salt).toBe(first.salt)
})

test('what is saved after the release does not reach the file, which another process may use', async () => {
  const first = await openChannelFile(options)
  await first.store.save(channel)
  await first.release()
  const second = await openChannelFile(options)
  await second.store.save({ ...channel, charged: '600' })
  await first.store.save({ ...channel, charged: '400' })
  expect(await second.store.load(word)).toEqual({ ...channel, charged: '600' })
  await second.release()
})

test('the lock of a process that has ended is taken over, by one process', async () => {
  const held = await openChannelFile(options)
  await held.release()
  const pid = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()
  await writeFile(`${pathOf(0)}.lock`, pid)
  const taken = await Promise.all([1, 2, 3].map(async () => await lockChannelFile(0, options)))
  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1)
  expect(await readFile(`${pathOf(0)}.lock`, 'utf8')).toMatch(new RegExp(`^${process.pid}( |$)`))
})

/** The lock of another process: the parts that differ from those of this process's lock. */
async function lockOfAnother(change: Partial<Record<number, string>>): Promise<string> {
  const held = await lockChannelFile(0, options)
  const path = `${pathOf(0)}.lock`
  const mark = (await readFile(path, 'utf8')).split(' ')
  await held?.release()
  await writeFile(path, mark.map((part, index) => change[index] ?? part).join(' '))
  return path
}

const linux = test.runIf(process.platform === 'linux')

linux.each([
  ['began at another time', { 3: '1' }],
  ['ran before the machine was started again', { 1: 'another-start' }],
])(
  'the lock of a process that had the number of a running one, and %s, is taken over',
  async (...row) => {
    await lockOfAnother(row[1])
    expect(await lockChannelFile(0, options)).toBeDefined()
  },
)

linux(
  'the lock of a process in another container is held while it gives signs of life',
  async () => {
    const path = await lockOfAnother({ 2: 'pid:[1]', 3: '1' })
    expect(await lockChannelFile(0, options)).toBeUndefined()
    const minuteAgo = new Date(Date.now() - 61_000)
    await utimes(path, minuteAgo, minuteAgo)
    expect(await lockChannelFile(0, options)).toBeDefined()
  },
)

test('a process that ended while it took a lock over blocks nothing', async () => {
  const held = await openChannelFile(options)
  await held.release()
  const pid = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()
  for (const name of ['lock', 'lock.takeover']) await writeFile(`${pathOf(0)}.${name}`, pid)
  const taken = await Promise.all([1, 2, 3].map(async () => await lockChannelFile(0, options)))
  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1)
  const names = await readdir(join(folder, 'farebox', 'channels'))
  expect(names).toEqual([`${address}-0.json.lock`])
})

test('the error of a seventeenth process names the option to do without a channel', async () => {
  for (let slot = 0; slot < 16; slot += 1) await openChannelFile(options)
  await expect(openChannelFile(options)).rejects.toMatchObject({
    code: 'channel_in_use',
    message: expect.stringContaining('--no-channel'),
  })
})

test('channels that cannot be read are an error, and are not replaced', async () => {
  const file = await openChannelFile(options)
  await mkdir(pathOf(0))
  const unread = {
    code: 'state_not_read',
    message: `${pathOf(0)} cannot be read (EISDIR). Correct it, or set XDG_STATE_HOME to another folder.`,
  }
  await expect(file.store.load(word)).rejects.toMatchObject(unread)
  await expect(file.store.save(channel)).rejects.toMatchObject(unread)
})

test('a damaged file is an error that names it', async () => {
  await openChannelFile(options)
  await writeFile(pathOf(0), '[{"id":')
  await expect(channelFile(0, options).store.load(word)).rejects.toMatchObject({
    code: 'channel_store_failed',
    message: expect.stringContaining(pathOf(0)),
  })
})
