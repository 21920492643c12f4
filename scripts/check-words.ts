// What must not be in a tracked text: paths of one machine, addresses of a registry, unfinished work.
import { spawnSync } from 'node:child_process'
import { root } from './packages/workspace.ts'

type Ban = { readonly what: string; readonly pattern: string; readonly paths: readonly string[] }

const sources = ['*.ts', '*.mjs', '*.js', ':!:**/*.gen.ts']
const bans: readonly Ban[] = [
  {
    what: 'a path of one machine',
    pattern: `(^|[^A-Za-z0-9.])/(wor[k]|far[m]|roo[t])/`,
    paths: ['.', ':!:pnpm-lock.yaml'],
  },
  {
    what: 'the address of a registry',
    pattern: `registry[.][a-z]+[.]org`,
    paths: ['.', ':!:pnpm-lock.yaml'],
  },
  {
    what: 'unfinished work',
    pattern: String.raw`\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b`,
    paths: sources,
  },
  {
    what: 'a switched-off type check',
    pattern: `@ts-(ignor[e]|nochec[k])`,
    paths: sources,
  },
  {
    what: 'a rule switched off without a reason behind ` -- `',
    pattern: `eslint-disabl[e](-?[^-])*$`,
    paths: sources,
  },
  {
    what: 'a name that says nothing',
    pattern: '',
    paths: [
      ...['utils', 'helpers', 'common', 'misc', 'types', 'manager', 'service'].map(
        (name) => `*/${name}.ts`,
      ),
    ],
  },
]

function findings({ what, pattern, paths }: Ban): readonly string[] {
  const args =
    pattern === '' ? ['ls-files', '--', ...paths] : ['grep', '-nIE', '-e', pattern, '--', ...paths]
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${what}: ${line}`)
}

const found = bans.flatMap(findings)
for (const line of found) console.error(line)
console.log(`words: ${found.length} problems`)
process.exitCode = found.length === 0 ? 0 : 1
