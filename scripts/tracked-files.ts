import { execFileSync } from 'node:child_process'
import { root } from './packages/workspace.ts'

/** The files that Git tracks among the pathspecs, as paths from the root. */
export function trackedFiles(pathspecs: readonly string[]): readonly string[] {
  return execFileSync('git', ['ls-files', '--', ...pathspecs], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '')
}
