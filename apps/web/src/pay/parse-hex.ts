/** The text as hexadecimal with 0x. Throws when it is something else, as from a broken wallet. */
export function parseHex(text: unknown): `0x${string}` {
  const digits = typeof text === 'string' ? /^0x([0-9a-f]+)$/i.exec(text)?.[1] : undefined
  if (digits === undefined) throw new Error('The wallet sent something that is not hexadecimal.')
  return `0x${digits}`
}
