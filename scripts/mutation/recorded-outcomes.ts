import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Outcome } from './run-mutants.ts'

export type RecordedOutcomes = {
  readonly outcomes: readonly Outcome[]
  readonly add: (outcome: Outcome) => void
}

const path = 'node_modules/.cache/farebox-mutation.jsonl'
const folders = ['packages', 'apps', 'scripts/testing']

/**
 * What an earlier run on the same sources found, so that an interrupted run is continued. The file is
 * emptied when a source or a test has changed since, and when `isContinued` is false.
 */
export function recordedOutcomes({
  isContinued,
}: {
  readonly isContinued: boolean
}): RecordedOutcomes {
  const state = stateOfSources()
  const [header, ...lines] = existsSync(path)
    ? readFileSync(path, 'utf8').trimEnd().split('\n')
    : []
  const isSame = isContinued && header === state
  if (!isSame) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${state}\n`)
  }
  return {
    outcomes: isSame ? lines.map((line): Outcome => JSON.parse(line)) : [],
    add: (outcome) => appendFileSync(path, `${JSON.stringify(outcome)}\n`),
  }
}

/** The committed sources and tests, and what differs from them on disk. */
function stateOfSources(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  const committed = git('rev-parse', ...folders.map((folder) => `HEAD:${folder}`))
  const changes = git('diff', 'HEAD', '--', ...folders)
  const added = git('ls-files', '--others', '--exclude-standard', '--', ...folders)
  const contents = execFileSync('git', ['hash-object', '--stdin-paths'], { input: added })
  const state = [committed, changes, added, contents].join('\n')
  return createHash('sha256').update(state).digest('hex')
}
