import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endOf } from './end-of.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shell = process.platform === 'win32'

/** The programs of this repository: the package to build, and the file to run. */
export const programs = {
  start: program('@farebox/gateway', 'apps/gateway/dist/main.js'),
  demo: program('@farebox/gateway', 'apps/gateway/demo/main.ts'),
  devnet: program('@farebox/gateway', 'apps/gateway/dist/devnet.js'),
  farebox: program('farebox', 'packages/command/dist/main.js'),
  /** One file for each example. The build of the gateway is one of what they import. */
  example: program('@farebox/gateway', 'examples'),
}

function program(name, file) {
  return {
    name,
    file: join(root, file),
    flags: ['--disable-warning=ExperimentalWarning'],
    isBuilt: () => existsSync(join(root, file)) && read(stampOf(name)) === fingerprint(),
  }
}

function stampOf(name) {
  return join(root, 'node_modules', '.cache', 'farebox', `${name.replace('/', '-')}.built`)
}

/** The packages that a build of this one leaves built; all programs without a name. */
function builtWith(name) {
  return name === 'farebox' ? ['farebox'] : ['@farebox/gateway', 'farebox']
}

/** Remembers that a package, or everything, was built from the sources as they are. */
export function rememberBuild(name) {
  const sources = fingerprint()
  for (const built of builtWith(name)) {
    mkdirSync(dirname(stampOf(built)), { recursive: true })
    writeFileSync(stampOf(built), sources)
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Installs and builds what the program needs; nothing if no source has changed since the last time. */
export async function buildOnce({ name, isBuilt }, environment) {
  if (isBuilt()) return true
  const install = ['install', '--frozen-lockfile', '--reporter=append-only']
  const build = ['exec', 'turbo', 'run', 'build', `--filter=${name}...`, '--', '--no-dts']
  const done =
    (await step('Installing packages', install, environment)) &&
    (await step('Building', build, environment))
  if (done) rememberBuild(name)
  return done
}

/** Runs pnpm with one line of progress; its output is shown only if it fails. */
async function step(label, args, environment) {
  const started = Date.now()
  process.stderr.write(`${label} … `)
  const { hasSucceeded, output } = await collect(args, environment)
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  process.stderr.write(hasSucceeded ? `${seconds} s\n` : `failed\n${output}\n`)
  return hasSucceeded
}

/** A step that was stopped has failed: turbo exits with 0 then. */
async function collect(args, environment) {
  const chunks = []
  const { code, wasStopped } = await endOf(() => {
    const child = spawn('pnpm', args, {
      cwd: root,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => chunks.push(chunk))
    child.once('error', (error) => chunks.push(Buffer.from(String(error))))
    return child
  })
  return { hasSucceeded: code === 0 && !wasStopped, output: Buffer.concat(chunks).toString() }
}

const skipped = new Set(['node_modules', 'dist', 'test', 'bench', '.turbo', 'coverage'])

/** Changes when a source, a manifest or the lockfile changes; not with a page. */
function fingerprint() {
  const hash = createHash('sha256')
  const launcher = 'scripts/boot/newer-node.mjs'
  for (const file of ['pnpm-lock.yaml', 'tsup.base.ts', launcher, 'packages', 'apps'])
    add(hash, join(root, file))
  return hash.digest('hex')
}

function add(hash, path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isDirectory()) {
    hash.update(`${path} ${stat.mtimeMs} ${stat.size}\n`)
    return
  }
  for (const name of readdirSync(path).sort()) {
    if (!skipped.has(name) && !name.endsWith('.md')) add(hash, join(path, name))
  }
}
