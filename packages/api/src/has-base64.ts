/**
 * Whether a `data:` URL has contents in base64. White space, percent signs and the URL-safe alphabet
 * pass, since some providers decode them.
 */
export function hasBase64(url: string): boolean {
  const comma = url.indexOf(',')
  if (comma > maxHeader || !/;base64$/i.test(url.slice(0, Math.max(comma, 0)))) return false
  const contents = url.slice(comma + 1)
  if (!/\S/.test(contents) || /[^\w+/=\s%-]/.test(contents)) return false
  return !/%(?![0-7][\da-f])/i.test(contents)
}

/** Characters before the contents; a type with parameters takes some dozens. */
const maxHeader = 200

/** Whether the contents of a `data:` URL are in the standard alphabet, and in no other characters. */
export function isStandardBase64(url: string): boolean {
  return !/[\s%_-]/.test(url.slice(url.indexOf(',') + 1))
}
