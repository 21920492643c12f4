// Runs every static check, or those named as arguments; each one passes or fails as a whole.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

type Check = { readonly name: string; readonly command: readonly string[] }

function eslint(...args: readonly string[]): readonly string[] {
  return ['node', '--max-old-space-size=6144', 'node_modules/eslint/bin/eslint.js', ...args]
}

const checks: readonly Check[] = [
  { name: 'format', command: ['biome', 'check', '.'] },
  // Three processes with larger heaps: the types of each exceed Node's default.
  { name: 'lint', command: eslint('packages') },
  { name: 'lint, apps', command: eslint('apps') },
  {
    name: 'lint, scripts',
    command: eslint('.', '--ignore-pattern', 'packages/', '--ignore-pattern', 'apps/'),
  },
  {
    name: 'types',
    command: ['turbo', 'run', 'typecheck', '//#typecheck:tests', '--output-logs=errors-only'],
  },
  { name: 'imports', command: ['node', 'scripts/check-imports.ts'] },
  { name: 'shape', command: ['node', 'scripts/shape-report.ts'] },
  { name: 'dead code', command: ['knip', '--no-config-hints'] },
  {
    name: 'dead code, shipped',
    command: ['knip', '--production', '--include=files,dependencies', '--no-config-hints'],
  },
  { name: 'api report', command: ['node', 'scripts/api-report.ts', '--check'] },
  { name: 'dependency list', command: ['node', 'scripts/check-dependencies.ts'] },
  { name: 'pages', command: ['node', 'scripts/check-readmes.ts'] },
  { name: 'words', command: ['node', 'scripts/check-words.ts'] },
  { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
  { name: 'packages', command: ['node', 'scripts/check-packages.ts'] },
  { name: 'runtimes', command: ['node', 'scripts/check-runtimes.ts'] },
]

type Result = { readonly name: string; readonly passed: boolean }

/** Runs a check, and prints its output once it has ended. */
async function run({ name, command: [program = '', ...args] }: Check): Promise<Result> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  const [passed, output, errors] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ])
  process.stdout.write(`\n── ${name}\n${output}${errors}`)
  return { name, passed }
}

async function runInTurn(list: readonly Check[]): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const check of list) results.push(await run(check))
  return results
}

const names = checks.map(({ name }) => name)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`Not a check: ${unknown.join('; ')}. The checks: ${names.join('; ')}.`)
  process.exit(1)
}
const chosen = checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
// ESLint has one core of the two, one process at a time: each takes gigabytes.
const isLint = ({ name }: Check): boolean => name.startsWith('lint')
const lanes = [chosen.filter(isLint), chosen.filter((check) => !isLint(check))]
const results = (await Promise.all(lanes.map(runInTurn))).flat()
const failed = results.filter(({ passed }) => !passed)

console.log('')
for (const { name, passed } of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`)
const counts = { passed: results.length - failed.length, failed: failed.length, skipped: 0 }
const summary = process.env['FAREBOX_TEST_SUMMARY']
if (summary !== undefined) writeFileSync(summary, JSON.stringify(counts))
process.exitCode = failed.length === 0 ? 0 : 1
