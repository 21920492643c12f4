/**
 * A key that can be sent; the message does not repeat it.
 *
 * @throws {TypeError} for one that a header cannot hold, such as one that was copied with its line end.
 */
export function checkedKey(apiKey: string): string {
  if (typeof apiKey === 'string' && /^[\x20-\x7e]*$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be text of printable ASCII characters, without a line end')
}
