/** Pairs of a chat field and the caller's own, such as `messages[1]` and `input[0]`. */
export type FieldOrigins = ReadonlyMap<string, string>

/** Renames the longest known prefix of a path; a field without an origin keeps its name. */
export function nameField(origins: FieldOrigins, chatField: string): string {
  for (let end = chatField.length; end > 0; end = lastBoundary(chatField, end)) {
    const origin = origins.get(chatField.slice(0, end))
    if (origin !== undefined) return origin + chatField.slice(end)
  }
  return chatField
}

function lastBoundary(path: string, end: number): number {
  return Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
}
