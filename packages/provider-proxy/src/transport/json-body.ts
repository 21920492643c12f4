/**
 * A value as JSON that every server can read. Half a surrogate pair, as programs that cut texts leave
 * it, becomes U+FFFD, as it is counted: strict parsers reject the body that has it as an escape.
 * https://github.com/anomalyco/opencode/issues/13988
 */
export function jsonBody(value: object): string {
  const json = JSON.stringify(value)
  if (!json.includes(escapedHalf)) return json
  return json.replaceAll(/\\\\|\\ud[89a-f][\da-f]{2}/g, (found) =>
    found.startsWith(escapedHalf) ? '\uFFFD' : found,
  )
}

/** How the escape of half a pair begins; whole pairs are not escaped. */
const escapedHalf = '\\ud'
