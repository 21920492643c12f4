import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../packages/workspace.ts'

type BuildOnce = {
  readonly programs: Readonly<Record<string, { isBuilt(): boolean }>>
  rememberBuild(name?: string): void
}

let checkout: string
let built: BuildOnce
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'farebox-boot-'))
  await cp(join(root, 'scripts/boot'), join(checkout, 'scripts/boot'), { recursive: true })
  await cp(join(root, 'scripts/boot.mjs'), join(checkout, 'scripts/boot.mjs'))
  await write('apps/gateway/dist/main.js', '')
  await write('packages/command/dist/main.js', "console.log(process.argv.slice(2).join(' '))")
  await write('packages/command/src/main.ts', '')
  built = (await import(
    pathToFileURL(join(checkout, 'scripts/boot/build-once.mjs')).href
  )) as BuildOnce
})
afterAll(() => rm(checkout, { recursive: true, force: true }))

async function write(path: string, text: string): Promise<void> {
  const file = join(checkout, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const areBuilt = (): boolean[] =>
  ['start', 'farebox'].map((name) => built.programs[name]?.isBuilt() === true)

test('the build of the gateway is one of the command too, until a source changes', async () => {
  expect(areBuilt()).toEqual([false, false])
  built.rememberBuild('@farebox/gateway')
  expect(areBuilt()).toEqual([true, true])
  await write('packages/command/README.md', '# farebox')
  expect(areBuilt()).toEqual([true, true])
  await write('packages/command/src/main.ts', 'export {}')
  expect(areBuilt()).toEqual([false, false])
  built.rememberBuild('farebox')
  expect(areBuilt()).toEqual([false, true])
})

test('once built, only the output of the command appears', async () => {
  built.rememberBuild()
  const boot = join(checkout, 'scripts/boot.mjs')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [boot, 'farebox', 'hello'])
  expect([stdout, stderr]).toEqual(['hello\n', ''])
})

test('what is missing is named before it is fetched', async () => {
  const npm = join(checkout, 'bin/npm')
  await write('bin/npm', '#!/bin/sh\n')
  await chmod(npm, 0o755)
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [join(checkout, 'scripts/boot.mjs'), 'lint'],
    { env: { PATH: join(checkout, 'bin') } },
  )
  expect(stderr).toBe('Fetching pnpm 12, once\n')
})
