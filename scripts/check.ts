// Runs every static check, or those named as arguments; each one passes or fails as a whole.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

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

function passes({ name, command: [program = '', ...args] }: Check): boolean {
  console.log(`\n── ${name}`)
  return spawnSync(program, args, { stdio: 'inherit' }).status === 0
}

const names = checks.map(({ name }) => name)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`Not a check: ${unknown.join('; ')}. The checks: ${names.join('; ')}.`)
  process.exit(1)
}
const chosen = checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const results = chosen.map((check) => ({ name: check.name, passed: passes(check) }))
const failed = results.filter(({ passed }) => !passed)

console.log('')
for (const { name, passed } of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`)
const counts = { passed: results.length - failed.length, failed: failed.length, skipped: 0 }
const summary = process.env['FAREBOX_TEST_SUMMARY']
if (summary !== undefined) writeFileSync(summary, JSON.stringify(counts))
process.exitCode = failed.length === 0 ? 0 : 1
