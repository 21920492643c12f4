/** Prints what is wrong with the settings, a line each. Returns the exit code. */
export function refuseConfig(problems: readonly string[]): number {
  process.stderr.write(`The configuration is not valid:\n  ${problems.join('\n  ')}\n`)
  return 2
}
