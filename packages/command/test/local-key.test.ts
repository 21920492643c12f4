import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { localKey } from '../src/local/local-key.ts'
import { openChannelFile } from '../src/wallet/channel-file.ts'
import { rememberPayment } from '../src/wallet/payment-history.ts'

let state: string
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'farebox-state-'))
})
afterEach(async () => {
  await rm(state, { recursive: true })
})

const keyIn = async (folder: string): Promise<string> =>
  await localKey({ environment: { XDG_STATE_HOME: folder } })

test('first starts at the same time share one key, which later starts read', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, async () => await keyIn(state)))
  expect(new Set(keys).size).toBe(1)
  expect(await keyIn(state)).toBe(keys[0])
  expect(await readFile(join(state, 'farebox', 'local-key'), 'utf8')).toBe(`${keys[0]}\n`)
})

test('white space around FAREBOX_LOCAL_KEY is not part of the key', async () => {
  const environment = { XDG_STATE_HOME: state, FAREBOX_LOCAL_KEY: ' secret\n' }
  expect(await localKey({ environment })).toBe('secret')
  expect(await localKey({ environment: { ...environment, FAREBOX_LOCAL_KEY: ' ' } })).toMatch(
    /^farebox-/,
  )
})

test('a key file without a key is named, and is not overwritten', async () => {
  await keyIn(state)
  const path = join(state, 'farebox', 'local-key')
  await writeFile(path, '\n')
  await expect(keyIn(state)).rejects.toMatchObject({
    code: 'invalid_option',
    message: `${path} contains no key, or cannot be read. Remove it, or set FAREBOX_LOCAL_KEY.`,
  })
  expect(await readFile(path, 'utf8')).toBe('\n')
})

test('a key file that leads nowhere is named', async () => {
  const path = join(state, 'farebox', 'local-key')
  await mkdir(join(state, 'farebox'))
  await symlink(join(state, 'gone'), path)
  await expect(keyIn(state)).rejects.toMatchObject({
    code: 'invalid_option',
    message: `${path} contains no key, or cannot be read. Remove it, or set FAREBOX_LOCAL_KEY.`,
  })
})

test.each([
  ['the local key', 'local-key', keyIn],
  [
    'a channel file',
    'channels/0x01-0.json.lock',
    async (folder: string) =>
      await openChannelFile({ address: '0x01', environment: { XDG_STATE_HOME: folder } }),
  ],
  [
    'the history of payments',
    'payments.jsonl',
    async (folder: string) =>
      await rememberPayment({ url: '', id: 'pay_1', at: '' }, { XDG_STATE_HOME: folder }),
  ],
])('%s that cannot be saved is named, with the setting that moves it', async (_, name, save) => {
  // No user, not even root, can create a folder in a file.
  const folder = join(state, 'file')
  await writeFile(folder, '')
  await expect(save(folder)).rejects.toMatchObject({
    code: 'state_not_saved',
    message: `${join(folder, 'farebox', name)} cannot be written (ENOTDIR). Set XDG_STATE_HOME to a folder where files can be created.`,
  })
})

test('a state folder that the system cannot create is named', async () => {
  await expect(keyIn('/proc/farebox/state')).rejects.toMatchObject({
    code: 'state_not_saved',
    message: expect.stringMatching(
      /^\/proc\/farebox\/state\/.+ \(ENOENT\)\. Set XDG_STATE_HOME to /,
    ),
  })
})
