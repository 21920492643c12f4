// Checks tracked text for paths of one machine, registry URLs, unfinished work, and phrases that a
// native reader would stumble over.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages/workspace.ts'
import { trackedFiles } from './tracked-files.ts'
import { findPhrases } from './words/find-phrases.ts'
import { checkedText, type PhraseBan, phraseBans, uncheckedText } from './words/phrase-bans.ts'

type Ban = { readonly what: string; readonly pattern: string; readonly paths: readonly string[] }

const sources = ['*.ts', '*.mjs', '*.js', ':!:**/*.gen.ts']
const bans: readonly Ban[] = [
  {
    what: 'a path of one machine',
    pattern: `(^|[^A-Za-z0-9.])/(wor[k]|far[m]|roo[t])/`,
    paths: ['.', ':!:pnpm-lock.yaml'],
  },
  {
    what: 'the URL of a registry',
    pattern: `registry[.][a-z]+[.]org`,
    paths: ['.', ':!:pnpm-lock.yaml'],
  },
  {
    what: 'unfinished work',
    pattern: String.raw`\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b`,
    paths: sources,
  },
  {
    what: 'a disabled type check',
    pattern: `@ts-(ignor[e]|nochec[k])`,
    paths: sources,
  },
  {
    what: 'a rule disabled without a reason after ` -- `',
    pattern: `(es|ox)lint-disabl[e](-?[^-])*$`,
    paths: sources,
  },
]

const vagueNames = ['utils', 'helpers', 'common', 'misc', 'types', 'manager', 'service']

function findings({ what, pattern, paths }: Ban): readonly string[] {
  const args = ['grep', '-nIE', '-e', pattern, '--', ...paths]
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  // 1 means that nothing was found.
  if (status !== 0 && status !== 1) throw new Error(`git grep failed: ${stderr}`)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${what}: ${line}`)
}

function badNames(): readonly string[] {
  const paths = trackedFiles(vagueNames.map((name) => `*/${name}.ts`))
  return paths.map((path) => `a name without meaning: ${path}`)
}

/** The tracked sources and pages among `paths`, without those of `except`. */
function trackedText(paths: readonly string[], except: readonly string[]): readonly string[] {
  const excluded = new Set(trackedFiles(except))
  return trackedFiles(paths).filter(
    (path) => /\.(ts|md)$/.test(path) && !excluded.has(path) && existsSync(join(root, path)),
  )
}

function phrases(paths: readonly string[], ban: PhraseBan): readonly string[] {
  return trackedText(paths, [...uncheckedText, ...(ban.except ?? [])]).flatMap((path) =>
    findPhrases(`${path}\n${readFileSync(join(root, path), 'utf8')}`, [ban]).map(
      ({ line, phrase }) => `${path}:${Math.max(1, line - 1)}: "${phrase}": ${ban.fix}`,
    ),
  )
}

// Paths as arguments check the phrases of other folders: `node scripts/check-words.ts packages/money`.
const paths = process.argv.length > 2 ? process.argv.slice(2) : checkedText
const found = [
  ...bans.flatMap(findings),
  ...badNames(),
  ...phraseBans.flatMap((ban) => phrases(paths, ban)),
]
for (const line of found) console.error(line)
console.log(`words: ${found.length} problems`)
process.exitCode = found.length === 0 ? 0 : 1
