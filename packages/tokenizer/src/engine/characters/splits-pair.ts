/** Whether a place in a text is between the two halves of a surrogate pair. */
export function splitsPair(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00
  )
}
