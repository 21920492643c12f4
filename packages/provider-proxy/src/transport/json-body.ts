/**
 * A value as JSON that every server can read. Half a surrogate pair, as programs that cut texts leave
 * it, becomes U+FFFD, as it is counted: strict parsers reject the body that has it as an escape.
 * https://github.com/anomalyco/opencode/issues/13988
 */
export function jsonBody(value: object): string {
  const json = JSON.stringify(value)
  return json.includes(escapedHalf) ? JSON.stringify(value, wellFormed) : json
}

/** How the escape of half a pair begins; whole pairs are not escaped. */
const escapedHalf = '\\ud'

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = Object.entries(value)
  return fields.every(([name]) => name.isWellFormed())
    ? value
    : Object.fromEntries(fields.map(([name, field]) => [name.toWellFormed(), field]))
}
