/** The problems of `readSettings` as text for standard error, a line each. */
export function describeProblems(problems: readonly string[]): string {
  return `The configuration is not valid:\n  ${problems.join('\n  ')}\n`
}
