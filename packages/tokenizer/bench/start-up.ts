/**
 * The cost of one vocabulary: processor milliseconds until the first count, and memory, each in a
 * fresh process, the best of five.
 *
 * Usage: `node --expose-gc bench/start-up.ts`
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The built package, as installed by a user. Run `pnpm --filter @farebox/tokenizer build` first. */
const built = (name: string): string =>
  fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url))

const libraries: readonly (readonly [string, string])[] = [
  [
    'farebox o200k_base',
    `const { countTokens } = await import('${built('o200k-base')}'); countTokens('a')`,
  ],
  [
    'farebox cl100k_base',
    `const { countTokens } = await import('${built('cl100k-base')}'); countTokens('a')`,
  ],
  [
    'tiktoken o200k_base',
    `const { get_encoding } = await import('tiktoken'); get_encoding('o200k_base').encode_ordinary('a')`,
  ],
  [
    'tiktoken cl100k_base',
    `const { get_encoding } = await import('tiktoken'); get_encoding('cl100k_base').encode_ordinary('a')`,
  ],
  [
    'gpt-tokenizer o200k_base',
    `const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base'); countTokens('a')`,
  ],
  [
    'ai-tokenizer o200k_base',
    `const { default: T } = await import('ai-tokenizer'); new T(await import('ai-tokenizer/encoding/o200k_base')).encode('a')`,
  ],
]

type Cost = { readonly milliseconds: number; readonly megabytes: number }

function measure(code: string): Cost {
  const script = `
    global.gc(); const before = process.memoryUsage().rss; const start = process.cpuUsage()
    ${code}
    const { user, system } = process.cpuUsage(start); const milliseconds = (user + system) / 1000; global.gc()
    const megabytes = (process.memoryUsage().rss - before) / 2 ** 20
    process.stdout.write(JSON.stringify({ milliseconds, megabytes }))`
  const options = { encoding: 'utf8', cwd: fileURLToPath(new URL('..', import.meta.url)) } as const
  const flags = ['--expose-gc', '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, flags, options))
}

process.stdout.write('|library|ms|MB|\n')
const best = new Map<string, Cost>()
for (let round = 0; round < 5; round += 1) {
  for (const [name, code] of libraries) {
    const cost = measure(code)
    const known = best.get(name) ?? cost
    best.set(name, {
      milliseconds: Math.min(known.milliseconds, cost.milliseconds),
      megabytes: Math.min(known.megabytes, cost.megabytes),
    })
  }
}
for (const [name, { milliseconds, megabytes }] of best) {
  process.stdout.write(`|${name}|${milliseconds.toFixed(0)}|${megabytes.toFixed(0)}|\n`)
}
