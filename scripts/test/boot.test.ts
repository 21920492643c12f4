import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../packages/workspace.ts'
import { pretendOlderNode } from './pretend-older-node.ts'

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
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    boot(),
    'farebox',
    'hello',
  ])
  expect([stdout, stderr]).toEqual(['hello\n', ''])
})

test('an example is run by its name, and an unknown name gets the list', async () => {
  await write(
    'examples/hello.ts',
    "const whom: unknown = process.argv[2]\nconsole.log('hello', whom)",
  )
  await write('examples/README.md', '')
  built.rememberBuild()
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [boot(), 'example', 'hello', 'you'])
  expect(stdout).toBe('hello you\n')
  await expect(run(process.execPath, [boot(), 'example', 'helo'])).rejects.toMatchObject({
    code: 2,
    stderr: 'No example is called "helo": hello.\n',
  })
})

test.each(['demo', 'devnet'])('%s refuses arguments, which would have no effect', async (task) => {
  const run = promisify(execFile)
  await expect(run(process.execPath, [boot(), task, '--dir', 'x'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`npm run ${task} takes no arguments`),
  })
  const { stdout } = await run(process.execPath, [boot(), task, '--help'])
  expect(stdout).toContain(`npm run ${task} takes no arguments`)
})

test('what is missing is named before it is fetched, and a failure of npm ends the command', async () => {
  await writeProgram('bin/npm', '#!/bin/sh\nexit 3\n')
  const failed: unknown = await promisify(execFile)(process.execPath, [boot(), 'lint'], {
    env: { PATH: join(checkout, 'bin') },
  }).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 3, stderr: 'Fetching pnpm 12, once\n' })
})

const boot = (): string => join(checkout, 'scripts/boot.mjs')

async function writeProgram(path: string, content: string): Promise<void> {
  await write(path, content)
  await chmod(join(checkout, path), 0o755)
}

/** Ends by itself if no test stops it. */
const untilStopped = `
process.on('SIGTERM', () => { console.log('stopped'); process.exit(0) })
setTimeout(() => process.exit(9), 8_000)
console.log('started')`

type Start = {
  readonly command: readonly [string, ...string[]]
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts a gateway that waits for SIGTERM, sends a signal to what was started, and gives its output. */
async function outputWhenStopped(
  { command: [program, ...args], environment }: Start,
  signal: NodeJS.Signals = 'SIGTERM',
) {
  await write('apps/gateway/dist/main.js', untilStopped)
  built.rememberBuild('@farebox/gateway')
  // The tests themselves may run with what npm lent, and under npm.
  const { npm_lifecycle_event: _, FAREBOX_BORROWED: __, ...env } = process.env
  const child: ChildProcess = spawn(program, args, {
    env: { ...env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('no output')
  child.stdout.once('data', () => child.kill(signal))
  return await text(child.stdout)
}

const stopped = 'started\nstopped\n'

test.each(['SIGTERM', 'SIGHUP'] as const)('%s stops the program', async (signal) => {
  const output = await outputWhenStopped({ command: [process.execPath, boot(), 'start'] }, signal)
  expect(output).toBe(stopped)
})

test('SIGTERM to npm, whose shell does not pass it on, stops the program', async () => {
  const line = '"$0" "$1" start; exit $?'
  const output = await outputWhenStopped({
    command: ['sh', '-c', line, process.execPath, boot()],
    environment: { npm_lifecycle_event: 'start' },
  })
  expect(output).toBe(stopped)
})

test('on an older Node the one that npm fetches runs the program, without a shell of npm between', async () => {
  const lent = join(checkout, '_npx/bin')
  await mkdir(lent, { recursive: true })
  await symlink(process.execPath, join(lent, 'node'))
  await writeProgram('_npx/bin/pnpm', '#!/bin/sh\necho 12.0.0\n')
  await writeProgram(
    'bin/npm',
    `#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
PATH="${lent}:$PATH"
"$@"
exit $?
`,
  )
  const PATH = [join(checkout, 'bin'), process.env['PATH']].join(delimiter)
  const output = await outputWhenStopped({
    command: [process.execPath, '--import', pretendOlderNode, boot(), 'start'],
    environment: { PATH },
  })
  expect(output).toBe(stopped)
})

test('a build that is stopped is not taken for one that is done', async () => {
  await writeProgram(
    'bin/pnpm',
    `#!/bin/sh
[ "$1" = --version ] && echo 12.0.0 && exit
trap 'exit 0' TERM
: > "${checkout}/building"
for _ in $(seq 80); do sleep 0.1; done
`,
  )
  await write('packages/command/src/main.ts', 'export const changed = true')
  const PATH = [join(checkout, 'bin'), process.env['PATH']].join(delimiter)
  const child = spawn(process.execPath, [boot(), 'start'], { env: { PATH }, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await expect.poll(() => existsSync(join(checkout, 'building'))).toBe(true)
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
  expect(areBuilt()).toEqual([false, false])
})
