/**
 * Whether a `data:` URL has contents in base64. White space, percent signs and the URL-safe alphabet
 * pass, since some providers decode them.
 */
export function hasBase64(url: string): boolean {
  const comma = url.indexOf(',')
  if (!/;base64$/i.test(url.slice(0, Math.max(comma, 0)))) return false
  const contents = url.slice(comma + 1)
  return /\S/.test(contents) && !/[^\w+/=\s%-]/.test(contents)
}
