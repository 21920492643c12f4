import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../src/anvil/make-folder.ts'
import {
  type DevnetFile,
  openDevnet,
  payerAccount,
  readDevnetFile,
  startDevnet,
  writeDevnetFile,
} from '../src/index.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-devnet-'))
  path = join(folder, 'made', 'devnet.json')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const file: DevnetFile = {
  rpcUrl: 'http://127.0.0.1:8545',
  chainId: 84532,
  network: 'base-sepolia',
  usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  treasury: payerAccount(1),
  relayer: payerAccount(2),
  payers: [payerAccount(3)],
}

test('reads back what it wrote, readable by its owner only, and leaves no other file', async () => {
  await writeDevnetFile(path, { ...file, ...{ pid: 7 } })
  expect(await readDevnetFile(path)).toEqual(file)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(join(folder, 'made'))).toEqual(['devnet.json'])
})

test.each([
  ['rpcUrl', 7],
  ['chainId', '84532'],
  ['network', null],
  ['usdc', '0x12'],
  ['treasury', { address: file.usdc }],
  ['relayer', { address: file.usdc, privateKey: '0x12' }],
  ['payers', [file.treasury, 'x']],
])('the error names an invalid %s', async (field, value) => {
  await writeDevnetFile(path, file)
  await writeFile(path, JSON.stringify({ ...file, [field]: value }))
  await expect(readDevnetFile(path)).rejects.toMatchObject({
    code: 'bad_devnet_file',
    message: `${path}: ${field} is not valid`,
  })
})

test.each([['{'], ['7'], ['null']])('a file containing %s is rejected', async (text) => {
  await writeDevnetFile(path, file)
  await writeFile(path, text)
  await expect(readDevnetFile(path)).rejects.toMatchObject({ code: 'bad_devnet_file' })
})

test('a missing file throws ENOENT', async () => {
  await expect(readDevnetFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test.each([
  ['openDevnet', async (missing: string) => await openDevnet(missing)],
  ['startDevnet', async (missing: string) => await startDevnet({ stateFile: join(missing, 'x') })],
  ['writeDevnetFile', async (missing: string) => await writeDevnetFile(join(missing, 'x'), file)],
])('%s throws where the system cannot create the folder', async (_, start) => {
  await expect(start('/proc/farebox/data')).rejects.toMatchObject({ syscall: 'mkdir' })
})

test('the folder is created by several processes at the same time', async () => {
  await Promise.all(Array.from({ length: 5 }, async () => await makeFolder(join(folder, 'a', 'b'))))
  expect(await readdir(join(folder, 'a'))).toEqual(['b'])
})

test('a file in the place of the folder throws', async () => {
  await writeFile(join(folder, 'file'), '')
  await expect(openDevnet(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
})
