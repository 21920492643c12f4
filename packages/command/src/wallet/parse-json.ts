/** `undefined` for a text of another format. Trimming also leaves out a byte order mark. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.trim())
  } catch {
    return undefined
  }
}
