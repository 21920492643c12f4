/** Prints the texts that were counted differently; if there are any, the process exits with 1. */
export function reportDifferences(
  title: string,
  texts: readonly string[],
  different: readonly string[],
): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const verdict = different.length === 0 ? 'equal' : `DIFFERENT in ${different.length}`
  process.stdout.write(`${title}: ${texts.length} texts, ${bytes} bytes: ${verdict}\n`)
  for (const text of different.slice(0, 3))
    process.stdout.write(`  ${JSON.stringify(text.slice(0, 300))}\n`)
  if (different.length > 0) process.exitCode = 1
}
