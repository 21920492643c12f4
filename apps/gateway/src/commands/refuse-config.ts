import { describeProblems } from '@farebox/settings'

/** Prints what is wrong with the settings, a line each. Returns the exit code. */
export function refuseConfig(problems: readonly string[]): number {
  process.stderr.write(describeProblems(problems))
  return 2
}
