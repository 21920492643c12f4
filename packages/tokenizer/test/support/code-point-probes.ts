/** Texts that show the class of a code point: before and after letters, numbers and marks. */
export function codePointProbes(stride: number): readonly string[] {
  const texts: string[] = []
  let batch = ''
  for (let codePoint = 0; codePoint < 0x110000; codePoint += codePoint < 0x3400 ? 1 : stride) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue
    const x = String.fromCodePoint(codePoint)
    batch += `A${x}b ${x}${x}c${x}1${x}'s !${x}\n`
    if (batch.length < 2000) continue
    texts.push(batch)
    batch = ''
  }
  return [...texts, batch]
}
