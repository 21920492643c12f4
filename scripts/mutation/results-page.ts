import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { packageOf } from './mutant.ts'
import type { Outcome } from './run-mutants.ts'
import { survivors } from './survivors.ts'

export type Results = {
  readonly outcomes: readonly Outcome[]
  readonly minutes: number
  /** The load average of the machine before the run. */
  readonly load: number
}

const page = 'docs/mutation.md'
const heading = '## Results\n'

/** Replaces the results in docs/mutation.md. */
export function saveResults(results: Results): void {
  const [before = ''] = readFileSync(page, 'utf8').split(heading, 1)
  writeFileSync(
    page,
    `${before}${heading}\n${renderResults(results)}\n## Survivors\n\n${renderSurvivors()}`,
  )
}

function renderResults({ outcomes, minutes, load }: Results): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const commit = git('rev-parse', '--short', 'HEAD')
  const month = new Date().toLocaleDateString('en', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  const names = [...new Set(outcomes.map(({ mutant }) => packageOf(mutant)))].toSorted()
  const rows = names.map((name) => {
    const own = outcomes.filter(({ mutant }) => packageOf(mutant) === name)
    return rowOf(`\`${name}\``, own)
  })
  return `${month}, commit ${commit}, ${availableParallelism()} cores, load average ${load.toFixed(1)} before the run: ${outcomes.length} mutants in
${minutes.toFixed(0)} minutes.

| package | mutants | killed | share |
|---|---|---|---|
${[...rows, rowOf('all', outcomes)].join('\n')}
`
}

function rowOf(name: string, outcomes: readonly Outcome[]): string {
  const killed = outcomes.filter(({ isKilled }) => isKilled).length
  const share = ((100 * killed) / outcomes.length).toFixed(1)
  return `| ${name} | ${outcomes.length} | ${killed} | ${share} % |`
}

function renderSurvivors(): string {
  const rows = survivors.map(({ file, name, reason }) => {
    const title = file.slice(file.lastIndexOf('/') + 1)
    return `| [${title}](../${file}) | \`${name.replaceAll('|', '\\|')}\` | ${reason} |`
  })
  return `| file | change | reason |\n|---|---|---|\n${rows.join('\n')}\n`
}
