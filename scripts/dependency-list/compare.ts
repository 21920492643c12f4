/** The differences between the list and the manifests. */
export type ListDifference = {
  readonly missing: readonly string[]
  readonly stale: readonly string[]
}

/** The packages of a Markdown table whose first cell is a name in backquotes and whose last is the reason. */
export function listedDependencies(markdown: string): readonly string[] {
  return markdown
    .split('\n')
    .map((line) => /^\| `([^`]+)` \|.*\| *[^ |][^|]* \|$/.exec(line)?.[1])
    .filter((name) => name !== undefined)
}

/** Names that are used but not explained, and names that are explained but not used. */
export function compareLists(used: readonly string[], listed: readonly string[]): ListDifference {
  return {
    missing: [...new Set(used)].filter((name) => !listed.includes(name)).sort(),
    stale: listed.filter((name) => !used.includes(name)).sort(),
  }
}
