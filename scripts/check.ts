// Runs every static check, or those named as arguments; each one passes or fails as a whole.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

type Check = { readonly name: string; readonly command: readonly string[] }

/** Long ones first, so that both cores are used until the end. Some need what `build` has built. */
const checks: readonly Check[] = [
  { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
  { name: 'lint', command: ['oxlint'] },
  {
    name: 'types',
    command: ['turbo', 'run', 'typecheck', '//#typecheck:tests', '--output-logs=errors-only'],
  },
  { name: 'runtimes', command: ['node', 'scripts/check-runtimes.ts'] },
  { name: 'packages', command: ['node', 'scripts/check-packages.ts'] },
  { name: 'format', command: ['biome', 'check', '.'] },
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
]

type Result = { readonly name: string; readonly passed: boolean; readonly seconds: number }

/** Runs a check, and prints its output once it has ended. */
async function run({ name, command: [program = '', ...args] }: Check): Promise<Result> {
  const begun = performance.now()
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
  return { name, passed, seconds: Math.round((performance.now() - begun) / 1000) }
}

/** Takes the next check from a list that others take from too, until it is empty. */
async function runFrom(list: Iterator<Check>): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let next = list.next(); next.done !== true; next = list.next())
    results.push(await run(next.value))
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
const isBuild = ({ name }: Check): boolean => name === 'build'
const built = await runFrom(chosen.filter(isBuild).values())
const others = chosen.filter((check) => !isBuild(check)).values()
const results = [...built, ...(await Promise.all([runFrom(others), runFrom(others)])).flat()]
const failed = results.filter(({ passed }) => !passed)

console.log('')
for (const { name, passed, seconds } of results)
  console.log(`${passed ? 'passed' : 'FAILED'}  ${name} in ${seconds} s`)
const counts = { passed: results.length - failed.length, failed: failed.length, skipped: 0 }
const summary = process.env['FAREBOX_TEST_SUMMARY']
if (summary !== undefined) writeFileSync(summary, JSON.stringify(counts))
process.exitCode = failed.length === 0 ? 0 : 1
